import Configuration
import FormSchema
import HTTPWire
import JSON
import Sensitive

/// The guard of forms: card numbers in what is sent besides the card fields, in what upstreams return, and in what `aliases` and
/// `tokens` return raw (`docs/reference/proxy.md` section 10).
extension FormCalls {
    private var panGuard: PANGuard {
        PANGuard(vault: creation.vault, telemetry: creation.telemetry, audit: creation.audit)
    }

    /// Refuses a submission before aliases are created for it, if its guard refuses card numbers and one would be returned.
    func requireNoCardNumber(
        inResultOf evaluation: Evaluation, _ form: HostedForm, _ call: Call
    ) async throws(CallError) {
        guard form.schema.guard.pan == .refuse else { return }
        let result = await LargeBodies.work(on: call.bodyCount) { emptyResult(evaluation) }
        _ = try await panGuard.inspect(result, subject(form, .result, .refuse), call)
    }

    /// The same where one would be sent on.
    func requireNoCardNumber(
        inBodyOf evaluation: Evaluation, _ form: HostedForm, _ call: Call
    ) async throws(CallError) {
        guard form.requestGuard == .refuse else { return }
        let body = await LargeBodies.work(on: call.bodyCount) { emptyBody(evaluation) }
        _ = try await panGuard.inspect(body, subject(form, .request, .refuse), call)
    }

    /// What would be returned, with nothing in the place of aliases. Not inlined: raw values must not become locals of the asynchronous
    /// caller, whose frame is not wiped when it ends.
    @inline(never)
    private func emptyResult(_ evaluation: Evaluation) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        _ = evaluation.writeResult(aliases: evaluation.emptyAliases, into: &json)
        return json.bytes
    }

    /// The same of what would be sent.
    @inline(never)
    private func emptyBody(_ evaluation: Evaluation) -> [UInt8] {
        evaluation.redactedBody(aliases: evaluation.emptyAliases) ?? []
    }

    /// The body of a request as it may be sent.
    ///
    /// - Parameter exempt: aliases and card numbers that are meant to be in it.
    func guardRequest(
        _ body: [UInt8], exempt: [SensitiveText], _ form: HostedForm, _ call: Call
    ) async throws(CallError) -> [UInt8] {
        guard form.requestGuard != .off else { return body }
        return try await panGuard.inspect(body, subject(form, .request, form.requestGuard, exempt: exempt), call)
    }

    /// The path of a request and the headers that are passed on, as they may be sent; nil if they may be as they are. Refused before aliases
    /// are created.
    func guardHead(
        _ path: ForwardPath, to route: Route, _ form: HostedForm, _ call: Call
    ) async throws(CallError) -> RequestHeadTexts? {
        guard form.requestGuard != .off else { return nil }
        let texts = RequestHeadTexts(path: path, of: call, on: route)
        return try await panGuard.inspect(texts, subject(form, .request, form.requestGuard), call)
    }

    /// An upstream's response as it may be returned.
    ///
    /// - Parameters:
    ///   - headers: all headers of the upstream.
    ///   - action: what is done about card numbers in it.
    ///   - exempt: aliases that are meant to be in it.
    func guardResponse(
        _ response: inout CallResponse, of headers: Headers, _ action: FormSchema.Guard.Action,
        exempt: [SensitiveText], _ form: HostedForm, _ call: Call
    ) async throws(CallError) {
        guard action != .off else { return }
        try await panGuard.inspect(&response, of: headers, subject(form, .response, action, exempt: exempt), call)
    }

    /// The response of `aliases` and `tokens` as it may be returned.
    func guardResult(
        _ response: inout CallResponse, aliases: [String], _ form: HostedForm, _ call: Call
    ) async throws(CallError) {
        let action = form.schema.guard.pan
        // Refused before anything was stored.
        guard action == .mask || action == .report else { return }
        response.body = try await panGuard.inspect(
            response.body, subject(form, .result, action, exempt: aliases.map { SensitiveText($0) }), call)
    }

    private func subject(
        _ form: HostedForm, _ passage: GuardFinding.Passage, _ action: FormSchema.Guard.Action,
        exempt: [SensitiveText] = []
    ) -> PANGuard.Subject {
        PANGuard.Subject(scope: .form(form.schema.form), passage: passage, action: action, exempt: exempt)
    }
}

extension HostedForm {
    /// What is done about card numbers in requests: the stricter of the form's guard and of its route's.
    fileprivate var requestGuard: FormSchema.Guard.Action { schema.guard.pan.stricter(route?.panGuard) }

    /// What is done about them in responses: what the route says, or else the form.
    var responseGuard: FormSchema.Guard.Action { route?.panGuard ?? schema.guard.pan }
}

extension FormSchema.Guard.Action {
    /// This one or the other, whichever is stricter.
    func stricter(_ other: Self?) -> Self {
        guard let other, other.strictness > strictness else { return self }
        return other
    }

    private var strictness: Int {
        switch self {
        case .off: 0
        case .report: 1
        case .mask: 2
        case .refuse: 3
        }
    }
}
