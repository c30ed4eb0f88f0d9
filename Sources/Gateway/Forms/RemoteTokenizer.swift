import Configuration
import EventHTTP
import EventIO
import HTTPWire
import Vault
import VaultRemote

/// Makes aliases in a remote vault, in the words of a call.
struct RemoteTokenizer: Sendable {
    private let vault: RemoteVault
    private let api: RemoteVault.API
    private let forwardsAuthorization: Bool
    private let telemetry: Telemetry

    init(_ settings: RemoteVaultSettings, client: Client, telemetry: Telemetry) throws(IOError) {
        let base = settings.base
        let tls = base.isSecure ? try TLSClientContext(settings.tls) : nil
        vault = RemoteVault(
            client: client,
            origin: Origin(host: base.host, port: base.port, tls: tls, certificateName: settings.tls.serverName),
            base: base.path,
            timeouts: ClientTimeouts(
                connect: settings.timeouts.connect, response: settings.timeouts.response,
                exchange: settings.timeouts.total))
        api = settings.api == .v1 ? .v1 : .v2
        forwardsAuthorization = settings.forwardAuthorization
        self.telemetry = telemetry
    }

    /// One alias an item, in their order. Throws `vaultRefused` with what the vault answered if that is no success.
    ///
    /// - Parameter operation: what was asked for. `tokens` is the same through v1, which knows no credentials of callers;
    ///   everything else goes through the version that is configured.
    func aliases(
        for items: [VaultItem], _ operation: TokenizeOperation, _ call: Call
    ) async throws(Failure) -> [String] {
        let api = operation == .tokens ? RemoteVault.API.v1 : api
        let authorization = forwardsAuthorization && api == self.api ? try Self.authorization(of: call) : nil
        do {
            return try await vault.create(items, through: api, authorization: authorization, requestID: call.id)
        } catch {
            switch error {
            case .exchange(let error):
                telemetry.recordUpstreamFailure(error, route: "vault", requestID: call.id)
                throw Failure(error)
            case .refused(let response): throw .vaultRefused(Self.pass(response))
            case .notJSON: throw .problem(.vaultAnswerIsNotJSON)
            case .unexpectedFormat: throw .problem(.unexpectedResponseDataFormat)
            }
        }
    }

    /// The caller's own. One that is not UTF-8 could only be sent on altered: the call is refused.
    private static func authorization(of call: Call) throws(Failure) -> String? {
        guard let given = call.head.headers.texts("Authorization").first else { return nil }
        guard let given else { throw .fault(.malformed("the header Authorization is not UTF-8")) }
        return given
    }

    /// What a caller must see to act on a refusal.
    private static let headers = ["Content-Type", "Retry-After", "WWW-Authenticate"]

    private static func pass(_ response: ClientResponse) -> Answer {
        var answer = Answer(status: response.status, body: response.body)
        for name in headers {
            for case let value? in response.headers.texts(name) { answer.headers.append((name, value)) }
        }
        answer.headers.append(("Cloakroom-Upstream-Status", String(response.status)))
        answer.upstreamStatus = response.status
        return answer
    }
}
