/// Requests that are repeated in a way that cannot be answered.
extension Problem {
    /// 422: the key belongs to another request.
    static let idempotencyKeyReused = Problem(
        status: 422, type: "idempotencyKeyReused", title: "The idempotency key was used for another request",
        detail: "the same Idempotency-Key came with another body", domain: .cloakroom)

    /// 409: the first request under the key was answered, by what is not kept.
    static let answerTooLargeToKeep = Problem(
        status: 409, type: "answerTooLargeToKeep", title: "The same request has been answered",
        detail: "the first answer under this Idempotency-Key is not kept: it was too large, or had no room",
        domain: .cloakroom)

    /// 409: the first request under the key has no answer yet.
    static let requestInProgress = {
        var problem = Problem(
            status: 409, type: "requestInProgress", title: "The same request is being answered",
            detail: "the first request with this Idempotency-Key has no answer yet", domain: .cloakroom)
        problem.headers = [("Retry-After", "1")]
        return problem
    }()
}
