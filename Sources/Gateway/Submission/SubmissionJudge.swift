import FormSchema
import JSON

/// Reads a submission and evaluates it by its form: the first step of `validate`, `aliases`, `tokens` and `send`
/// (`docs/reference/fields.md` sections 2 and 7).
struct SubmissionJudge: Sendable {
    let telemetry: Telemetry

    /// The state of every field. Invalid input is a result, not an error.
    ///
    /// - Parameter body: of the call.
    func evaluate(_ body: JSONText, by form: HostedForm) throws(CallError) -> Evaluation {
        let evaluation = form.schema.evaluate(try submission(body, for: form.schema), today: form.clock.today())
        if !evaluation.exhaustedPatterns.isEmpty {
            telemetry.recordExhaustedPatterns(evaluation.exhaustedPatterns, form: form.schema.form)
        }
        return evaluation
    }

    /// As ``evaluate(_:by:)``; throws if the form refuses the submission (1001, 1101–1103).
    func requireValid(_ body: JSONText, by form: HostedForm, _ call: Call) async throws(CallError) -> Evaluation {
        try await LargeBodies.work(on: call.bodyCount) { () throws(CallError) -> Evaluation in
            try requireValid(body, by: form)
        }
    }

    private func requireValid(_ body: JSONText, by form: HostedForm) throws(CallError) -> Evaluation {
        let evaluation = try evaluate(body, by: form)
        guard let reason = evaluation.refusal else { return evaluation }
        var states = JSONWriter(capacity: 2_048)
        evaluation.writeStates(into: &states)
        throw .invalidSubmission(
            InvalidSubmission(reason: reason, fieldNames: form.schema.fieldNames, states: states.bytes))
    }

    private func submission(_ body: JSONText, for form: FormSchema) throws(CallError) -> Submission {
        do throws(SubmissionError) { return try Submission(body, for: form) } catch {
            throw CallError(error)
        }
    }
}

extension CallError {
    init(_ error: SubmissionError) {
        switch error {
        case .malformed(let detail): self = .malformed(detail)
        case .unknownFields(let names): self = .unknownFields(names)
        }
    }
}
