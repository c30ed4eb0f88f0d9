import Access
import Configuration
import FormSchema
import JSON

extension FormCalls {
    /// `POST /v1/forms/{form}/validate`: the state of every field. Invalid input is a result here, not an error.
    func validate(_ call: Call, _ form: HostedForm) async throws(CallError) -> CallResponse {
        _ = try await authorize(call, form, .validate)
        let body = try await call.json()
        return try await LargeBodies.work(on: call.bodyCount) { () throws(CallError) -> CallResponse in
            try verdict(of: body, form)
        }
    }

    private func verdict(of body: JSONText, _ form: HostedForm) throws(CallError) -> CallResponse {
        let evaluation = try judge.evaluate(body, by: form)
        var json = JSONWriter(capacity: 2_048)
        evaluation.writeVerdict(into: &json)
        return .json(200, json.bytes)
    }
}
