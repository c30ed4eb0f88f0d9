public import EventHTTP
import HTTPWire
import JSON
public import Vault

/// A vault of another operator, reached through the VGS Vault API (`docs/reference/vault-api.md` section 7): aliases are made there, and
/// nothing is kept here.
public struct RemoteVault: Sendable {
    /// The versions of the API, which differ in the path alone.
    public enum API: String, CaseIterable, Sendable {
        case v1
        case v2

        /// Below the base path.
        public var path: String {
            switch self {
            case .v1: "tokens"
            case .v2: "aliases"
            }
        }

        /// The whole path.
        func target(below base: String) -> String {
            base.utf8.last == UInt8(ascii: "/") ? base + path : "\(base)/\(path)"
        }
    }

    private let client: Client
    private let origin: Origin
    private let base: String
    private let timeouts: ClientTimeouts

    /// - Parameter base: path that the API's own paths follow, percent-encoded.
    public init(client: Client, origin: Origin, base: String, timeouts: ClientTimeouts) {
        self.client = client
        self.origin = origin
        self.base = base
        self.timeouts = timeouts
    }

    /// Has one alias made for each item, and returns the vault's response if it is 2xx: `aliases(in:for:)` reads it. One attempt: the
    /// vault may have stored what it did not answer for.
    ///
    /// - Parameters:
    ///   - api: the version to go through.
    ///   - authorization: the `Authorization` to send, if any.
    ///   - requestID: the request's name on both sides.
    ///   - caller: whose share of the connections it uses.
    public func create(
        _ items: [VaultItem], through api: API, authorization: String?, requestID: String, for caller: PoolCaller?
    ) async throws(RemoteVaultError) -> ClientResponse {
        var headers = [
            ("Content-Type", "application/json"), ("Accept", "application/json"), ("Accept-Encoding", "identity"),
            ("X-Request-Id", requestID),
        ]
        if let authorization { headers.append(("Authorization", authorization)) }
        var request = ClientRequest(
            method: .post, target: api.target(below: base), headers: headers, body: RemoteItems.body(items))
        let send = SingleSend()
        request.singleSend = send
        request.caller = caller
        let response: ClientResponse
        do { response = try await client.send(request, to: origin, timeouts: timeouts) } catch {
            throw .exchange(error, wasSent: send.wasWritten)
        }
        guard (200..<300).contains(response.status) else { throw .refused(response) }
        return response
    }

    /// The aliases of the items in their order. Throws `notJSON` or `unexpectedFormat`; then no alias reaches the caller. Takes as long as
    /// parsing the body.
    public static func aliases(
        in response: ClientResponse, for items: [VaultItem]
    ) throws(RemoteVaultError) -> [String] {
        guard let json = try? JSONValue.parse(response.body) else { throw .notJSON }
        guard let aliases = RemoteItems.aliases(in: json, for: items) else { throw .unexpectedFormat }
        return aliases
    }
}
