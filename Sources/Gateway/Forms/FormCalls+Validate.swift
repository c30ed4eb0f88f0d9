import Configuration
import FormSchema
import JSON

extension FormCalls {
    /// The state of every field. Invalid input is a result here, not an error.
    func validate(_ call: Call, _ form: HostedForm) async throws(Failure) -> Answer {
        _ = try await authorize(call, form.schema.access.validate, .createAliases)
        let evaluation = try evaluate(call, form)
        var json = JSONWriter(capacity: 2_048)
        evaluation.writeVerdict(into: &json)
        return .json(200, json.bytes)
    }

    /// Reads the submission and judges it by the form.
    func evaluate(_ call: Call, _ form: HostedForm) throws(Failure) -> Evaluation {
        let evaluation = form.schema.evaluate(try submission(call, to: form.schema), today: form.clock.today())
        if !evaluation.exhaustedPatterns.isEmpty {
            telemetry.recordExhaustedPatterns(evaluation.exhaustedPatterns, form: form.schema.form)
        }
        return evaluation
    }

    private func submission(_ call: Call, to form: FormSchema) throws(Failure) -> Submission {
        let text: JSONText
        do { text = try call.json() } catch { throw .fault(error) }
        do throws(SubmissionError) { return try Submission(text, for: form) } catch {
            switch error {
            case .malformed(let detail): throw .fault(.malformed(detail))
            case .unknownFields(let names): throw .problem(.unknownFields(names))
            }
        }
    }

    /// Stops a call whose submission the form refuses (1001, 1101–1103).
    func demandAcceptable(_ evaluation: Evaluation, _ form: HostedForm) throws(Failure) {
        guard let refusal = evaluation.refusal else { return }
        var states = JSONWriter(capacity: 2_048)
        evaluation.writeStates(into: &states)
        throw .problem(Problem(refusal, of: form.schema), states: states.bytes)
    }
}
