import Access
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// `auth.jwt` (docs/reference/access.md section 3).
@Suite struct AuthSettingTests {
    private func read(_ entry: String) throws -> LoadedConfiguration {
        // RFC 8037, appendix A.2.
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let folder = try TemporaryFolder([
            "keys.json": "{\"keys\":[\(key)]}", "broken.json": "{}", "none.json": "{\"keys\":[]}",
            "c.yaml": "auth: {jwt: [{\(entry)}]}\n",
        ])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    @Test func anIssuer() throws {
        let loaded = try read(
            """
            issuer: "https://idp.example", audience: cloakroom, jwks: {url: "https://idp.example/keys?p=a%20b"}, scopes: roles,
            forms: forms, clockSkew: 30s
            """)
        let issuer = try #require(loaded.configuration?.auth.jwt.first, "\(loaded.mistakes)")
        #expect(issuer.issuer == "https://idp.example" && issuer.audience == "cloakroom")
        guard case .url(let url, let query) = issuer.keys else { return #expect(Bool(false)) }
        #expect(url.description == "https://idp.example/keys" && query == "p=a%20b")
        #expect(issuer.scopesClaim == "roles" && issuer.scopesMap == nil && issuer.formsClaim == "forms")
        #expect(issuer.clockSkew == .seconds(30))
    }

    @Test func defaultsAndAMapOfScopes() throws {
        let loaded = try read(
            "issuer: i, audience: a, jwks: {file: keys.json}, scopes: {ops: [operations:read, aliases:reveal], shop: forms:send}"
        )
        let issuer = try #require(loaded.configuration?.auth.jwt.first, "\(loaded.mistakes)")
        #expect(issuer.scopesClaim == "scope" && issuer.clockSkew == .seconds(60) && issuer.formsClaim == nil)
        #expect(issuer.scopesMap == ["ops": [.readOperations, .revealAliases], "shop": [.sendForms]])
    }

    @Test(arguments: [
        ("issuer: i", ["audience", "jwks"]), ("issuer: i, audience: a, jwks: {}", ["jwks"]),
        ("issuer: i, audience: a, jwks: {file: keys.json, url: \"https://h\"}", ["jwks"]),
        ("issuer: i, audience: a, jwks: {file: gone.json}", ["jwks.file"]),
        ("issuer: i, audience: a, jwks: {url: \"http://idp.example\"}", ["jwks.url"]),
        ("issuer: i, audience: a, jwks: {url: \"https://h/?a#b\"}", ["jwks.url"]),
        ("issuer: i, audience: a, jwks: {url: \"https://h/#b\"}", ["jwks.url"]),
        ("issuer: i, audience: a, jwks: {file: broken.json}", ["jwks.file"]),
        ("issuer: i, audience: a, jwks: {file: none.json}", ["jwks.file"]),
        ("issuer: \(String(repeating: "i", count: 257)), audience: a, jwks: {file: keys.json}", ["issuer"]),
        ("issuer: i, audience: a, jwks: {url: \"http://127.0.0.1:1/k\"}", []),
        ("issuer: \"\", audience: a, jwks: {file: keys.json}", ["issuer"]),
        ("issuer: i, audience: a, jwks: {file: keys.json}, clockSkew: 11m", ["clockSkew"]),
        ("issuer: i, audience: a, jwks: {file: keys.json}, scopes: {x: all}", ["scopes.x"]),
    ])
    func mistakes(entry: String, paths: [String]) throws {
        #expect(try read(entry).mistakes.map(\.path) == paths.map { "auth.jwt[0].\($0)" })
    }

    /// One provider for several audiences is an entry for each; the same twice is a mistake.
    @Test(arguments: [("b", []), ("a", ["auth.jwt[1]"])])
    func anIssuerTwice(audience: String, paths: [String]) throws {
        let first = "issuer: i, audience: a, jwks: {file: keys.json}"
        let loaded = try read("\(first)}, {issuer: i, audience: \(audience), jwks: {file: keys.json}")
        #expect(loaded.mistakes.map(\.path) == paths)
    }
}
