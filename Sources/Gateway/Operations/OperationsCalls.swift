import EventHTTP
import HTTPWire
import JSON
import Synchronization
import Vault

/// The admin listener: health and metrics, for those who run the gateway (design, section 4).
final class OperationsCalls: Sendable {
    private let vault: Vault
    private let store: any DurableStore
    private let audit: AuditLog
    private let keys: KeyCalls
    private let telemetry: Telemetry
    /// The one that clients call.
    private let server: Server
    private let isStopping = Atomic(false)
    /// The second in which a store that failed was last asked again.
    private let lastRetry = Atomic<Int64>(-1)

    /// - Parameter server: the one that clients call.
    init(_ opened: OpenVault, keys: KeyCalls, telemetry: Telemetry, server: Server) {
        vault = opened.vault
        store = opened.store
        audit = opened.audit
        self.keys = keys
        self.telemetry = telemetry
        self.server = server
    }

    /// From now on the process is not ready: whoever spreads the load should send it elsewhere.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    func answer(_ request: ServerRequest) async -> ServerResponse {
        let id = Call.name(request.head)
        var response = await answer(request, id: id)
        response.headers.append(("X-Request-Id", id))
        return response
    }

    private func answer(_ request: ServerRequest, id: String) async -> ServerResponse {
        let path = request.head.path
        do { try request.head.demandSingles() } catch { return Self.refusal(error, path: path, id: id) }
        if KeyCalls.paths.contains(path) { return await keys(request, path, id: id) }
        guard path == "/health/live" || path == "/health/ready" || path == "/metrics" else {
            return Self.refusal(.notFound("there is nothing at this path"), path: path, id: id)
        }
        guard request.head.method == .get || request.head.method == .head else {
            return Self.refusal(.methodNotAllowed(allowed: "GET, HEAD"), path: path, id: id)
        }
        switch path {
        case "/health/live": return Self.status(200, "live")
        case "/health/ready": return await readiness()
        default:
            let headers = [("Content-Type", MetricsText.mediaType), ("Cache-Control", "no-store")]
            return ServerResponse(status: 200, headers: headers, body: Array(metrics().utf8))
        }
    }

    private func keys(_ request: ServerRequest, _ path: String, id: String) async -> ServerResponse {
        do throws(RequestFault) {
            let body = try await keys.answer(request)
            let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            return ServerResponse(status: 200, headers: headers, body: body)
        } catch {
            return Self.refusal(error, path: path, id: id)
        }
    }

    /// Answers something that the wire layer refuses.
    static func refuse(_ refusal: Refusal) -> ServerResponse {
        let id = RequestID.make()
        var response = self.refusal(.wire(status: refusal.status, reason: refusal.reason), path: nil, id: id)
        response.headers.append(("X-Request-Id", id))
        return response
    }

    /// Ready is who can reach the vault, can record what it reveals, and is not about to stop. A store that could not do what
    /// it was last asked for is not asked for this: that one page can be read says nothing of the others, or of room to write.
    private func readiness() async -> ServerResponse {
        if isStopping.load(ordering: .relaxed) { return Self.status(503, "stopping") }
        if let failure = audit.failure { return Self.status(503, "audit log unavailable: \(failure)") }
        if store.failure != nil, mayRetry() { await store.retryAfterFailure() }
        if let failure = store.failure { return Self.status(503, "\(failure)") }
        do {
            _ = try await vault.keyStatus()
            return Self.status(200, "ready", damaged: vault.metrics.damaged)
        } catch {
            telemetry.recordVaultFailure(error)
            return Self.status(503, "\(error)")
        }
    }

    /// Once a second at most: whoever asks whether we are well should not keep a sick disk busy.
    private func mayRetry() -> Bool {
        let now = WallClock.monotonicMicroseconds / 1_000_000
        return lastRetry.exchange(now, ordering: .relaxed) != now
    }

    /// - Parameter damaged: reads that found a damaged record since the start.
    private static func status(_ status: Int, _ text: String, damaged: Int = 0) -> ServerResponse {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.key("status")
        json.string(text)
        if damaged > 0 {
            json.key("damaged")
            json.number(damaged)
        }
        json.endObject()
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return ServerResponse(status: status, headers: headers, body: json.bytes)
    }

    private static func refusal(_ fault: RequestFault, path: String?, id: String) -> ServerResponse {
        let problem = Problem(fault)
        var json = JSONWriter(capacity: 384)
        problem.write(into: &json, instance: path, requestID: id)
        let answer = Answer.problem(problem, body: json.bytes)
        return ServerResponse(
            status: answer.status, fixed: answer.fixed, headers: answer.headers, body: answer.body)
    }

    private func metrics() -> String {
        var text = MetricsText()
        telemetry.write(into: &text)
        text.single("cloakroom_connections", .gauge, "Clients connected now.", server.connectionCount)
        text.single(
            "cloakroom_failed_handshakes_total", .counter, "Clients with whom no TLS came about.",
            server.failedHandshakeCount)
        let vault = vault.metrics
        text.single("cloakroom_items_total", .counter, "Items answered by the vault.", vault.created)
        text.single("cloakroom_remembered_items_total", .counter, "Those that needed no store.", vault.remembered)
        text.single("cloakroom_deleted_aliases_total", .counter, "Aliases deleted.", vault.deleted)
        text.single(
            "cloakroom_damaged_reads_total", .counter, "Reads that found a record which is not what the vault wrote.",
            vault.damaged)
        text.single("cloakroom_volatile_aliases", .gauge, "Volatile aliases alive.", vault.volatileAliases)
        text.begin("cloakroom_alias_space_fullness", .gauge, "How full the fullest known space of a format is, 0 to 1.")
        for (format, fullness) in vault.fullness.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(["format": format.rawValue], fullness)
        }
        let store = store.metrics
        text.single("cloakroom_store_commits_total", .counter, "Commits synced to disk.", store.commits)
        text.single("cloakroom_store_requests_total", .counter, "Requests that shared them.", store.requests)
        text.single("cloakroom_store_failures_total", .counter, "Commits that failed.", store.failures)
        text.single("cloakroom_store_largest_batch", .gauge, "Requests in the largest commit.", store.largestBatch)
        text.single("cloakroom_store_waiting", .gauge, "Requests waiting for the writer.", store.waiting)
        text.single(
            "cloakroom_audit_writable", .gauge, "Whether the audit log can be written.", audit.failure == nil ? 1 : 0)
        return text.text
    }
}
