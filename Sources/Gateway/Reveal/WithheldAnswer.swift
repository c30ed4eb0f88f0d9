extension CallError {
    /// This error when the upstream has answered with `status` already.
    func withholdingAnswer(status: Int) -> CallError { .answerWithheld(status: status, because: self) }
}
