import Crypto
import Testing

@testable import Access

@Suite("The token endpoint")
struct TokenRequestTests {
    private func request(_ body: String, basic: String? = nil) throws -> TokenRequest {
        try TokenRequest(
            body: Array(body.utf8), authorization: basic.map { "Basic " + Base64.encode(Array($0.utf8)) })
    }

    /// Names and secrets of the clients that a request may mean.
    private func clients(_ request: TokenRequest) -> [String] {
        request.clients.map { "\($0.username ?? "-")/\(String(decoding: $0.secret.bytes, as: UTF8.self))" }
    }

    @Test(arguments: [
        ("grant_type=client_credentials&client_id=shop&client_secret=a%20b%2B", nil, ["shop/a b+"]),
        ("client_secret=s&grant_type=client_credentials&client_id=shop&audience=x&scope=", nil, ["shop/s"]),
        ("grant_type=client_credentials", "shop:secret", ["shop/secret"]),
        ("grant_type=client_credentials&client_id=shop", "shop:se:cret", ["shop/se:cret"]),
        // Both readings of a Basic secret that RFC 6749 section 2.3.1 would have encoded.
        ("grant_type=client_credentials", "shop:a%2Bb+", ["shop/a%2Bb+", "shop/a+b "]),
        ("grant_type=client_credentials", "shop:100%", ["shop/100%"]),
    ])
    func reads(body: String, basic: String?, expected: [String]) throws {
        let request = try request(body, basic: basic)
        #expect(clients(request) == expected)
        #expect(request.scopes == nil)
        #expect(try request.granted(of: .all) == .all)
    }

    @Test(arguments: [
        ("", nil, TokenEndpointError.Code.invalidRequest), ("grant_type=", nil, .invalidRequest),
        ("grant_type=password&username=a&password=b", nil, .unsupportedGrantType),
        ("grant_type=Client_Credentials&client_id=a&client_secret=b", nil, .unsupportedGrantType),
        ("grant_type=client_credentials", nil, .invalidClient),
        ("grant_type=client_credentials&client_id=a", nil, .invalidClient),
        ("grant_type=client_credentials&client_id=a&client_secret=", nil, .invalidClient),
        ("grant_type=client_credentials&client_id=%00a&client_secret=b", nil, .invalidClient),
        (
            "grant_type=client_credentials&grant_type=client_credentials&client_id=a&client_secret=b", nil,
            .invalidRequest
        ),
        ("grant_type=client_credentials&client_id=a&client_id=a&client_secret=b", nil, .invalidRequest),
        ("grant_type=client_credentials&client_id=%zz&client_secret=b", nil, .invalidRequest),
        ("grant_type=client_credentials&client_id=%ff&client_secret=b", nil, .invalidRequest),
        ("grant_type=client_credentials&client_id=a&client_secret=b%", nil, .invalidRequest),
        ("grant_type=client_credentials&client_secret=b", "a:b", .invalidRequest),
        ("grant_type=client_credentials&client_id=other", "a:b", .invalidRequest),
        ("grant_type=client_credentials", "nocolon", .invalidClient),
        ("grant_type=client_credentials&client_id=a&client_secret=b&scope=root", nil, .invalidScope),
        ("grant_type=client_credentials&client_id=a&client_secret=b&scope=aliases:create%2Croot", nil, .invalidScope),
        ("grant_type=client_credentials&client_id=a&client_secret=b&scope=+", nil, .invalidScope),
        ("grant_type=client_credentials&client_id=a&client_secret=b&scope=aliases:create+", nil, .invalidScope),
        ("grant_type=client_credentials&client_id=a&client_secret=b&scope=a++b", nil, .invalidScope),
    ])
    func refuses(body: String, basic: String?, code: TokenEndpointError.Code) {
        do {
            _ = try request(body, basic: basic)
            Issue.record("taken")
        } catch {
            #expect((error as? TokenEndpointError)?.code == code)
        }
    }

    @Test func sizes() {
        let long = "grant_type=client_credentials&client_id=a&client_secret=" + String(repeating: "b", count: 9_000)
        #expect(throws: TokenEndpointError.self) { try request(long) }
        let many = (0..<33).map { "a\($0)=1" }.joined(separator: "&")
        #expect(throws: TokenEndpointError.self) { try request(many) }
        #expect(throws: TokenEndpointError.self) {
            try TokenRequest(body: Array("grant_type=client_credentials".utf8), authorization: "Bearer abc")
        }
    }

    @Test func scopes() throws {
        let request = try request(
            "grant_type=client_credentials&client_id=a&client_secret=b&scope=forms:send+aliases:create")
        #expect(try request.granted(of: .all).text == "aliases:create forms:send")
        #expect(throws: TokenEndpointError.self) { try request.granted(of: ScopeSet(.sendForms)) }
    }

    /// RFC 6749 sections 5.1 and 5.2.
    @Test func bodies() throws {
        let error = TokenEndpointError(.invalidClient, "unknown client")
        #expect(error.status == 401 && error.challenge == "Basic realm=\"cloakroom\"")
        #expect(
            String(decoding: error.body, as: UTF8.self)
                == #"{"error":"invalid_client","error_description":"unknown client"}"#)
        let refused = TokenEndpointError(.invalidScope, "")
        #expect(refused.status == 400 && refused.challenge == nil)
        #expect(TokenEndpointError(.temporarilyUnavailable, "").status == 503)
        #expect(TokenEndpointError(.serverError, "").status == 500)
        let claims = Caller.accessToken(
            for: "shop", Permissions(scopes: .all), scopes: ScopeSet(.sendForms), id: try sessionClaims().id, at: 5)
        #expect(
            String(decoding: TokenResponse.body(token: "a.b.c", claims: claims), as: UTF8.self)
                == #"{"access_token":"a.b.c","token_type":"Bearer","expires_in":1200,"scope":"forms:send"}"#)
    }
}
