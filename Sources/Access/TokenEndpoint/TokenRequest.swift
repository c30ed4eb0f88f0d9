import Crypto

/// A request of the token endpoint: the client credentials grant (RFC 6749 section 4.4.2).
public struct TokenRequest: Sendable {
    /// The client's name and secret, as ``Presented`` of the credential that it is: the first that matches counts.
    /// There are two where HTTP Basic has a `%` or `+`: RFC 6749 section 2.3.1 encodes both parts as form values
    /// first, which many clients omit.
    public let clients: [Presented]
    /// The scopes that are asked for; nil for all that the credential has.
    public let scopes: ScopeSet?

    /// The media type of a request.
    public static let mediaType = "application/x-www-form-urlencoded"
    /// Bytes of a body.
    public static let maximumSize = 8_192

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - body: of media type ``mediaType``.
    ///   - authorization: the `Authorization` field, if there is one.
    public init(body: [UInt8], authorization: String?) throws(TokenEndpointError) {
        guard body.count <= Self.maximumSize else {
            throw TokenEndpointError(.invalidRequest, "the body is larger than \(Self.maximumSize) bytes")
        }
        guard let values = FormValues(body) else {
            throw TokenEndpointError(
                .invalidRequest,
                "the body is not form-encoded, or has a parameter twice or more than \(FormValues.maximumPairs) of them"
            )
        }
        guard let grant = values["grant_type"] else {
            throw TokenEndpointError(.invalidRequest, "grant_type is missing")
        }
        guard grant == Array("client_credentials".utf8) else {
            throw TokenEndpointError(.unsupportedGrantType, "grant_type must be client_credentials")
        }
        if let authorization {
            guard values["client_secret"] == nil else {
                throw TokenEndpointError(.invalidRequest, "the client authenticates in two ways")
            }
            clients = try Self.clients(basic: authorization, id: values["client_id"])
        } else {
            guard let id = values["client_id"], let secret = values["client_secret"],
                let client = Presented(username: id, password: secret)
            else {
                throw TokenEndpointError(.invalidClient, "client_id and client_secret are needed")
            }
            clients = [client]
        }
        scopes = try values["scope"].map(Self.scopes)
    }

    private static func clients(basic: String, id: [UInt8]?) throws(TokenEndpointError) -> [Presented] {
        guard let presented = Presented(header: basic), case .basic(let name, let password) = presented else {
            throw TokenEndpointError(.invalidClient, "HTTP Basic is expected")
        }
        var clients = [presented]
        if let decodedName = FormValues.decode(Array(name.utf8)[...]),
            let decodedPassword = FormValues.decode(password.bytes[...]),
            let client = Presented(username: decodedName, password: decodedPassword),
            decodedName != Array(name.utf8) || decodedPassword != password.bytes
        {
            clients.append(client)
        }
        if let id {
            let names = clients.compactMap { client -> [UInt8]? in
                if case .basic(let name, _) = client { Array(name.utf8) } else { nil }
            }
            guard names.contains(id) else {
                throw TokenEndpointError(.invalidRequest, "client_id is not that of HTTP Basic")
            }
        }
        return clients
    }

    /// Names between single spaces (RFC 6749 section 3.3). A scope that does not exist is refused, not ignored: the client would
    /// believe that it has it.
    private static func scopes(_ value: [UInt8]) throws(TokenEndpointError) -> ScopeSet {
        let names = value.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let scopes = names.compactMap { Scope(rawValue: String(decoding: $0, as: UTF8.self)) }
        guard scopes.count == names.count else { throw TokenEndpointError(.invalidScope, "scope has an unknown name") }
        return ScopeSet(scopes)
    }

    /// The scopes that are granted to a credential that has `owned`.
    public func granted(of owned: ScopeSet) throws(TokenEndpointError) -> ScopeSet {
        guard let scopes else { return owned }
        guard owned.isSuperset(of: scopes) else {
            throw TokenEndpointError(.invalidScope, "the client does not have all of the scope")
        }
        return scopes
    }
}
