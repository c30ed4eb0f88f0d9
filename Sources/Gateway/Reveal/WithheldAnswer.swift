/// The upstream has done what it was asked for, but the caller cannot have its answer: nobody could put aliases into it, or record
/// them.
extension Problem {
    /// Never with `Retry-After`: whoever repeats the request repeats what the upstream has done, such as a charge.
    ///
    /// - Parameters:
    ///   - status: of the upstream's answer.
    ///   - fault: why the answer is withheld.
    static func answerWithheld(status: Int, by fault: RequestFault) -> Problem {
        let plain = Problem(fault)
        return Problem(
            status: plain.status, type: plain.type, title: plain.title,
            detail: """
                the request was made, and the upstream answered \(status); its answer is withheld, since aliases could not be \
                stored for what is redacted in it. To repeat the request is to have it done once more
                """,
            domain: plain.domain, code: plain.code, key: plain.key)
    }
}

extension Failure {
    /// What is said of this failure when the upstream has answered with `status` already.
    func withholdingAnswer(status: Int) -> Failure {
        guard case .fault(let fault) = self else { return self }
        return .problem(.answerWithheld(status: status, by: fault))
    }
}
