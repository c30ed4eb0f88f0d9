import AuditLog
import EventHTTP
import EventIO
import HTTPWire
import JSON
import Synchronization
import Vault

/// The calls of the admin listener: health, metrics and the maintenance of the vault.
final class OperationsCalls: Sendable {
    private let vault: Vault
    private let store: any DurableStore
    private let audit: AuditLog
    private let proof: MasterKeyProof
    private let maintenance: MaintenanceCalls
    private let reloading: ReloadCall
    private let reloads: ReloadCounts
    private let telemetry: Telemetry
    /// The clients' server, whose metrics are shown.
    private let server: Server
    private let isStopping = Atomic(false)
    /// The check of the vault that is running; nil if none is.
    private let pendingCheck = Mutex<Task<String?, Never>?>(nil)
    /// How long a health check waits for the check of the vault: a database that does not respond is given up after up to 30 seconds.
    private static let patience = Duration.seconds(2)
    /// The second of the last attempt to recover a failed store.
    private let lastRetry = Atomic<Int64>(-1)

    /// - Parameter server: the clients' server.
    init(
        _ opened: OpenVault, reloading: ReloadCall, reloads: ReloadCounts, telemetry: Telemetry, server: Server
    ) throws(VaultError) {
        vault = opened.vault
        store = opened.store
        audit = opened.audit
        do { proof = try MasterKeyProof(key: vault.key(for: .operations)) } catch { throw VaultError(error) }
        maintenance = MaintenanceCalls(opened)
        self.reloading = reloading
        self.reloads = reloads
        self.telemetry = telemetry
        self.server = server
    }

    /// Makes `/health/ready` return 503 from now on, so that load balancers send new requests elsewhere.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    func respond(to request: ServerRequest) async -> ServerResponse {
        let id = Call.requestID(of: request.head)
        var response = await respond(to: request, id: id)
        response.headers.append(("X-Request-Id", id))
        return response
    }

    private func respond(to request: ServerRequest, id: String) async -> ServerResponse {
        let path = request.head.path
        do { try request.head.requireSingleValues() } catch { return Self.error(error, path: path, id: id) }
        if path == ReloadCall.path || MaintenanceCalls.Operation(rawValue: path) != nil {
            return await maintenance(request, path, id: id)
        }
        guard path == "/health/live" || path == "/health/ready" || path == "/metrics" else {
            return Self.error(.notFound("there is nothing at this path"), path: path, id: id)
        }
        do throws(CallError) { try request.head.require([.get, .head]) } catch {
            return Self.error(error, path: path, id: id)
        }
        switch path {
        case "/health/live": return Self.status(200, "live")
        case "/health/ready": return await readiness(request.loop)
        default:
            let headers = [("Content-Type", MetricsText.mediaType), ("Cache-Control", "no-store")]
            return ServerResponse(status: 200, headers: headers, body: Array(metrics().utf8))
        }
    }

    /// The caller must prove that it has the master key, because every process of the machine, browsers included, can reach a loopback
    /// listener.
    private func maintenance(_ request: ServerRequest, _ path: String, id: String) async -> ServerResponse {
        let operation = MaintenanceCalls.Operation(rawValue: path)
        do throws(CallError) {
            try request.head.require(.post)
            guard proof.accepts(request.head[.authorization], path, request.body) else {
                let command = operation?.command ?? ReloadCall.command
                throw .forbidden("only the holder of the master key may do this: use `\(command)`")
            }
            let body =
                if let operation { try await maintenance.respond(to: request.body, operation) } else {
                    try await reloading.respond(to: request.body)
                }
            let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
            return ServerResponse(status: 200, headers: headers, body: body)
        } catch {
            return Self.error(error, path: path, id: id)
        }
    }

    /// Responds to a request that the HTTP layer refused.
    static func respond(to rejection: RequestRejection) -> ServerResponse {
        let id = RequestID.make()
        var response = self.error(rejection.callError(bodySetting: nil), path: nil, id: id)
        response.headers.append(("X-Request-Id", id))
        return response
    }

    /// Ready means: the vault can be read, the audit log can be written, and the process is not stopping. After a store has failed, a
    /// successful read of one page proves nothing about writes: it must recover first.
    private func readiness(_ loop: EventLoop) async -> ServerResponse {
        if isStopping.load(ordering: .relaxed) { return Self.status(503, "stopping") }
        if let failure = audit.failure { return Self.status(503, "audit log unavailable: \(failure)") }
        if let failure = await vaultFailure(loop) { return Self.status(503, failure) }
        return Self.status(200, "ready", damaged: vault.metrics.damaged, reload: reloads.last)
    }

    /// Why the vault is not ready; nil if it is. Health checks that arrive while the vault is checked wait for that result, up to
    /// ``patience`` each.
    private func vaultFailure(_ loop: EventLoop) async -> String? {
        let check = pendingCheck.withLock { check in
            if let check { return check }
            let new = Task { await checkVault() }
            check = new
            return new
        }
        let pending = PendingResult<String?>(on: loop)
        Task {
            let failure = await check.value
            loop.execute { pending.finish(failure) }
        }
        let known = store.failure == nil ? vault.volatileFailure : nil
        let late =
            known.map(Self.volatileFailure)
            ?? "the vault has not responded for \(Self.patience.components.seconds) seconds"
        return await pending.value(until: .now + Self.patience, expired: late, cancelled: late)
    }

    private func checkVault() async -> String? {
        defer { pendingCheck.withLock { $0 = nil } }
        if store.failure != nil, mayRetry() { await store.retryAfterFailure() }
        if let failure = store.failure { return "\(failure)" }
        if vault.volatileFailure != nil, mayRetry() { try? await vault.checkVolatile() }
        if let failure = vault.volatileFailure { return Self.volatileFailure(failure) }
        do { _ = try await vault.keyStatus() } catch {
            telemetry.recordVaultFailure(error)
            return "\(error)"
        }
        return nil
    }

    private static func volatileFailure(_ error: VaultError) -> String { "VOLATILE values: \(error)" }

    /// At most once a second, so that health checks do not load a failing disk.
    private func mayRetry() -> Bool {
        let now = SystemClock.monotonicMilliseconds / 1_000
        return lastRetry.exchange(now, ordering: .relaxed) != now
    }

    /// - Parameters:
    ///   - damaged: reads that found a damaged record since the start.
    ///   - reload: what came of the last reload, if there was one.
    private static func status(
        _ status: Int, _ text: String, damaged: Int = 0, reload: ReloadReport? = nil
    ) -> ServerResponse {
        var json = JSONWriter(capacity: 64)
        json.beginObject()
        json.key("status")
        json.string(text)
        if damaged > 0 {
            json.key("damaged")
            json.number(damaged)
        }
        if let reload {
            json.key("reload")
            reload.write(into: &json, namesMistakes: false)
        }
        json.endObject()
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        return ServerResponse(status: status, headers: headers, body: json.bytes)
    }

    private static func error(_ error: CallError, path: String?, id: String) -> ServerResponse {
        let response = CallResponse.problem(error, instance: path, requestID: id)
        return ServerResponse(
            status: response.status, fixed: response.fixed, headers: response.headers, body: response.body)
    }

    private func metrics() -> String {
        var text = MetricsText()
        telemetry.write(into: &text)
        text.single("cloakroom_connections", .gauge, "Open client connections.", server.connectionCount)
        text.single(
            "cloakroom_displaced_connections_total", .counter,
            "Connections that were displaced for clients with fewer, at the limit on connections.",
            server.displacedConnectionCount)
        text.single(
            "cloakroom_failed_handshakes_total", .counter, "Client connections whose TLS handshake failed.",
            server.failedHandshakeCount)
        writeVaultMetrics(into: &text)
        writeStoreMetrics(into: &text)
        text.single(
            "cloakroom_audit_writable", .gauge, "Whether the audit log can be written: 1 or 0.",
            audit.failure == nil ? 1 : 0)
        return text.text
    }

    private func writeVaultMetrics(into text: inout MetricsText) {
        let metrics = vault.metrics
        text.single(
            "cloakroom_items_total", .counter, "Items that the vault created or found for create requests.",
            metrics.created)
        text.single(
            "cloakroom_remembered_items_total", .counter,
            "Items of create requests that needed no commit: their aliases were remembered, or read from a shared store.",
            metrics.remembered)
        text.single("cloakroom_deleted_aliases_total", .counter, "Aliases deleted.", metrics.deleted)
        text.single(
            "cloakroom_damaged_reads_total", .counter, "Reads that found a record which is not what the vault wrote.",
            metrics.damaged)
        text.single(
            "cloakroom_volatile_aliases", .gauge, "Volatile aliases that have not expired.", metrics.volatileAliases)
        text.begin(
            "cloakroom_alias_space_fullness", .gauge, "Used share of the fullest known alias space of a format, 0 to 1."
        )
        for (format, fullness) in metrics.fullness.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.sample(["format": format.rawValue], fullness)
        }
        if vault.sharesVolatile {
            text.single(
                "cloakroom_volatile_available", .gauge, "Whether Redis keeps the volatile values: 1 or 0.",
                vault.volatileFailure == nil ? 1 : 0)
        }
        if let seconds = vault.clockIsAheadBy {
            text.single(
                "cloakroom_clock_difference_seconds", .gauge,
                "Seconds by which this process's clock is ahead of the database server's.", Int(clamping: seconds))
        }
    }

    private func writeStoreMetrics(into text: inout MetricsText) {
        let store = store.metrics
        text.single(
            "cloakroom_store_commits_total", .counter,
            "Batches of writing requests that were committed. What they wrote is synced to disk; some wrote nothing.",
            store.commits)
        text.single("cloakroom_store_requests_total", .counter, "Requests that took part in commits.", store.requests)
        text.single("cloakroom_store_failures_total", .counter, "Commits that failed.", store.failures)
        text.single("cloakroom_store_largest_batch", .gauge, "Requests in the largest commit.", store.largestBatch)
        text.single(
            "cloakroom_store_late_total", .counter,
            "Requests refused because they had waited too long for the store (server.maxWait).", store.late)
        text.single("cloakroom_store_waiting", .gauge, "Requests that wait for the next commit.", store.waiting)
    }
}
