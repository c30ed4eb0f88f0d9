import EventHTTP
import FormSchema
import HTTPWire
import Synchronization

/// Finds who answers a request of one loop, and says everything that is said of all requests: the name, the limit, the log line.
final class Router: Sendable {
    private let forms: FormCalls
    private let vault: VaultCalls
    private let routes: RouteCalls
    private let table: Mutex<FormTable>
    private let limiter: RateLimiter?
    private let telemetry: Telemetry
    private let counts: RequestCounts
    /// Whether clients come over TLS.
    private let isSecure: Bool

    init(
        forms: FormCalls, vault: VaultCalls, routes: RouteCalls, table: FormTable, limiter: RateLimiter?,
        telemetry: Telemetry,
        isSecure: Bool
    ) {
        self.forms = forms
        self.vault = vault
        self.routes = routes
        self.table = Mutex(table)
        self.limiter = limiter
        self.telemetry = telemetry
        counts = telemetry.newRequestCounts()
        self.isSecure = isSecure
    }

    /// Hosts other forms from the next request on.
    func replaceForms(_ new: FormTable) { table.withLock { $0 = new } }

    /// Answers one request, on the loop of its connection. What is said of it is said when its answer is made; of one that is
    /// passed on while it arrives, when that is over.
    func answer(_ request: ServerRequest) async -> ServerResponse {
        let start = WallClock.monotonicMicroseconds
        let call = Call(request)
        let endpoint = Endpoint(path: call.path, method: request.head.method)
        let form = form(at: endpoint)
        let answer = await answer(call, at: endpoint, of: form)
        guard answer.incoming != nil || answer.body.count > 16_384 else {
            record(call, endpoint, form, answer, bytesOut: answer.body.count, since: start)
            return answer.response(named: call.id)
        }
        var response = answer.response(named: call.id)
        response.onSent = { count, failure in
            var answer = answer
            answer.errorCode = failure.flatMap { Failure($0).code }
            self.record(call, endpoint, form, answer, bytesOut: count, since: start)
        }
        return response
    }

    /// - Parameters:
    ///   - bytesOut: of the body that was sent.
    ///   - start: when the request was there, in monotonic microseconds.
    private func record(
        _ call: Call, _ endpoint: Endpoint, _ form: HostedForm?, _ answer: Answer, bytesOut: Int, since start: Int64
    ) {
        let microseconds = WallClock.monotonicMicroseconds - start
        counts.count(endpoint.kind, status: answer.status)
        counts.record(endpoint.kind, microseconds: microseconds)
        telemetry.log(
            call, endpoint, form: form?.schema.form, answer, bytesOut: bytesOut, microseconds: microseconds)
    }

    /// The form that is hosted at this endpoint now.
    private func form(at endpoint: Endpoint) -> HostedForm? {
        endpoint.formID.flatMap { id in table.withLock { $0 }[id] }
    }

    private func answer(_ call: Call, at endpoint: Endpoint, of form: HostedForm?) async -> Answer {
        let allowance = limiter?.take()
        var answer: Answer
        if let fault = allowance?.fault {
            answer = Failure.fault(fault).answer(to: call, on: endpoint.plane)
        } else {
            answer = await carryOut(call, endpoint, form)
        }
        allowance?.note(in: &answer)
        addCrossOrigin(to: &answer, for: call.head, of: form)
        return answer
    }

    private func addCrossOrigin(to answer: inout Answer, for head: RequestHead?, of form: HostedForm?) {
        guard let form else { return }
        CrossOrigin.add(to: &answer, for: head, of: form, isLimited: limiter != nil)
    }

    private func carryOut(_ call: Call, _ endpoint: Endpoint, _ form: HostedForm?) async -> Answer {
        do throws(Failure) {
            do { try call.head.demandSingles() } catch { throw .fault(error) }
            switch (endpoint, endpoint.plane) {
            case (.route(let name, let path), _): return try await routes.answer(call, route: name, path: path)
            case (.formList, _): return try forms.list(call, table.withLock { $0 })
            case (_, .client): return try await forms.answer(call, at: endpoint, of: form)
            case (_, .vault): return try await vault.answer(call, at: endpoint)
            }
        } catch {
            return error.answer(to: call, on: endpoint.plane)
        }
    }

    /// Words the answer to something that the wire layer refuses, in the form of the plane that was meant, if it got that far.
    /// It counts as a request: who sends rubbish may send no more of it than of anything else.
    func refuse(_ refusal: RequestRejection) -> ServerResponse {
        let id = refusal.head.map(Call.name) ?? RequestID.make()
        let path = RefusedRequest.path(of: refusal)
        let endpoint = Endpoint(path: path, method: refusal.head?.method ?? .get)
        let allowance = limiter?.take()
        let fault = allowance?.fault ?? .wire(status: refusal.status, reason: refusal.reason)
        var answer = RefusedRequest.answer(
            fault, to: refusal, path: path, id: id, plane: endpoint.plane, isSecure: isSecure)
        allowance?.note(in: &answer)
        addCrossOrigin(to: &answer, for: refusal.head, of: form(at: endpoint))
        counts.count(endpoint.kind, status: answer.status)
        telemetry.recordRefusal(refusal, endpoint, answer, id: id)
        return answer.response(named: id)
    }
}
