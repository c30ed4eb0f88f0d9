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

    /// Makes one alias for each item, in their order, or throws and has made none that anybody learns of. One attempt: the
    /// vault may have stored what it did not answer for.
    ///
    /// - Parameters:
    ///   - api: the version to go through.
    ///   - authorization: the `Authorization` to send, if any.
    ///   - requestID: the request's name on both sides.
    public func create(
        _ items: [VaultItem], through api: API, authorization: String?, requestID: String
    ) async throws(RemoteVaultError) -> [String] {
        var headers = [
            ("Content-Type", "application/json"), ("Accept", "application/json"), ("X-Request-Id", requestID),
        ]
        if let authorization { headers.append(("Authorization", authorization)) }
        var request = ClientRequest(
            method: .post, target: api.target(below: base), headers: headers, body: RemoteItems.body(items))
        let send = SingleSend()
        request.singleSend = send
        let response: ClientResponse
        do { response = try await client.send(request, to: origin, timeouts: timeouts) } catch {
            throw .exchange(error, wasSent: send.wasWritten)
        }
        guard (200..<300).contains(response.status) else { throw .refused(response) }
        guard let json = try? JSONValue.parse(response.body) else { throw .notJSON }
        guard let aliases = RemoteItems.aliases(in: json, for: items) else { throw .unexpectedFormat }
        return aliases
    }
}
