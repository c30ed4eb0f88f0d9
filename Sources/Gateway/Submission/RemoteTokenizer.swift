import Access
import Configuration
import EventHTTP
import EventIO
import HTTPWire
import Synchronization
import Vault
import VaultRemote

/// Creates aliases in a remote vault, with the errors of a call.
struct RemoteTokenizer: Sendable {
    private let vault: RemoteVault
    private let origin: Origin
    /// How many loops there are, each with a pool of connections.
    private let loops: Int
    private let api: RemoteVault.API
    private let forwardsAuthorization: Bool
    private let telemetry: Telemetry

    init(_ settings: RemoteVaultSettings, client: Client, telemetry: Telemetry) throws(IOError) {
        let base = settings.base
        let tls = base.isSecure ? try TLSClientContext(settings.tls) : nil
        origin = Origin(
            host: base.host, port: base.port, tls: tls, certificateName: settings.tls.serverName, owner: "vault.remote")
        loops = client.loopCount
        vault = RemoteVault(
            client: client, origin: origin, base: base.path,
            timeouts: ClientTimeouts(
                connect: settings.timeouts.connect, response: settings.timeouts.response,
                exchange: settings.timeouts.total))
        api = settings.api == .v1 ? .v1 : .v2
        forwardsAuthorization = settings.forwardAuthorization
        self.telemetry = telemetry
    }

    /// Writes its metrics. Retains nothing that retains the telemetry.
    var metrics: @Sendable (inout MetricsText) -> Void {
        { [origin, loops] text in
            text.single(
                "cloakroom_remote_vault_connections", .gauge, "Connections to the remote vault that requests use.",
                origin.connectionsInUse.load(ordering: .relaxed))
            text.single(
                "cloakroom_remote_vault_connections_limit", .gauge,
                "Limit on the connections to the remote vault, on all loops together.", origin.pool.active * loops)
            text.single(
                "cloakroom_remote_vault_connection_refusals_total", .counter,
                "Requests that got no connection to the remote vault: too many waited, or their caller had its share.",
                origin.refusals.load(ordering: .relaxed))
        }
    }

    /// Headers of the caller that go to the vault, in lower case.
    func forwardedHeaders(_ operation: FormOperation) -> [String] {
        forwardsAuthorization && (operation != .tokens || api == .v1) ? ["authorization"] : []
    }

    /// One alias for each item, in their order. Throws `remoteVault`, with the vault's response if that is not 2xx.
    ///
    /// - Parameter operation: `tokens` uses v1 of the API, which knows no credentials of callers; the others use the
    ///   configured version.
    func aliases(
        for items: [VaultItem], _ operation: FormOperation, _ call: Call
    ) async throws(CallError) -> [String] {
        let api = operation == .tokens ? RemoteVault.API.v1 : api
        let authorization = forwardsAuthorization && api == self.api ? try Self.authorization(of: call) : nil
        do {
            let response = try await vault.create(
                items, through: api, authorization: authorization, requestID: call.id,
                for: call.caller.map { PoolCaller($0.holder) })
            return try await LargeBodies.work(on: response.body.count) { () throws(RemoteVaultError) -> [String] in
                try RemoteVault.aliases(in: response, for: items)
            }
        } catch {
            if case .exchange(let error, wasSent: _) = error {
                telemetry.recordUpstreamFailure(error, route: nil, requestID: call.id)
            }
            throw .remoteVault(Self.callError(error), mayHaveStored: error.mayHaveStored)
        }
    }

    private static func callError(_ error: RemoteVaultError) -> CallError {
        switch error {
        case .exchange(let error, wasSent: _): CallError(error)
        case .refused(let response): .vaultResponse(response)
        case .notJSON: .vaultResponseNotJSON
        case .unexpectedFormat: .unexpectedResponseDataFormat
        }
    }

    /// The caller's `Authorization`. One that is not UTF-8 can't be sent on unchanged, so the call is refused.
    private static func authorization(of call: Call) throws(CallError) -> String? {
        guard let given = call.head.headers.texts("Authorization").first else { return nil }
        guard let given else { throw .unreadableHeader("Authorization") }
        return given
    }
}
