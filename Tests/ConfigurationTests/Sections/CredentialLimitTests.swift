import Access
import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// What a credential is limited to, and its two secrets (docs/reference/access.md section 1).
@Suite struct CredentialLimitTests {
    private func read(_ keys: String) throws -> LoadedConfiguration {
        try load("credentials: [{name: a, secret: s, scopes: [sessions:create, operations:read], \(keys)}]\n")
    }

    @Test func limits() throws {
        let loaded = try read(
            """
            forms: [checkout, shop-*], routes: ["*"], classifiers: [pan], expires: 2099-01-31, rateLimit: 60,
            addresses: [10.0.0.0/8, "2001:db8::/32", 192.0.2.7]
            """)
        let credential = try #require(loaded.configuration?.credentials.first)
        #expect(credential.scopes == [.createSessions, .readOperations])
        #expect(credential.forms == .matching(["checkout", "shop-*"].compactMap { NamePattern($0) }))
        #expect(credential.routes == .matching(["*"].compactMap { NamePattern($0) }))
        #expect(credential.classifiers == ["pan"] && credential.rateLimit == 60)
        #expect(credential.expires.map { Instant.text(seconds: Int64($0)) } == "2099-02-01T00:00:00Z")
        #expect(credential.addresses == ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"].compactMap { Network($0) })
    }

    /// Names that nothing has are warned of; they may come with a reload.
    @Test func namesOfNothing() throws {
        let forms = try TemporaryFolder(["form.yaml": "form: checkout\nfields: [{name: a}]\n"])
        let folder = try TemporaryFolder()
        try folder.write(
            """
            forms: \(forms.path)
            routes:
              - {name: acquirer, kind: reveal, url: "https://a.example"}
              - {name: up, kind: upstream, url: "https://a.example"}
            credentials:
              - name: a
                secret: s
                scopes: []
                forms: [checkout, chekout, "check*", "shop-*"]
                routes: [acquirer, up, "a*"]
            """, to: "c.yaml")
        let loaded = Configuration.load(file: folder.path + "/c.yaml", with: .gateway)
        let warnings = loaded.warnings.filter { $0.message.contains(" is called ") }
        #expect(
            warnings.map { "\($0.path): \($0.message)" } == [
                "credentials[0].forms: no form is called \"chekout\"",
                "credentials[0].forms: no form is called \"shop-*\"",
                "credentials[0].routes: no reveal route is called \"up\"",
            ], "\(loaded.mistakes)")
    }

    @Test func withoutLimits() throws {
        let credential = try #require(try load("").configuration?.credentials.first)
        #expect(credential.forms == .all && credential.routes == .all && credential.classifiers == nil)
        #expect(credential.expires == nil && credential.addresses == nil && credential.rateLimit == nil)
    }

    @Test(arguments: [
        ("forms: []", "forms"), ("forms: [a*b]", "forms[0]"), ("routes: [\"\"]", "routes[0]"), ("forms: a", "forms"),
        ("classifiers: []", "classifiers"), ("classifiers: [a, \"\"]", "classifiers[1]"), ("rateLimit: 0", "rateLimit"),
        ("addresses: []", "addresses"),
        ("addresses: [10.0.0.1/8]", "addresses[0]"), ("addresses: [host]", "addresses[0]"),
        ("expires: 2026-02-30", "expires"), ("expires: soon", "expires"), ("expires: 17", "expires"),
    ])
    func mistakes(keys: String, path: String) throws {
        #expect(try read(keys).mistakes.map(\.path) == ["credentials[0].\(path)"])
    }

    @Test(arguments: [
        ("secrets: [one, two]", 2, []), ("secrets: [one]", 1, []), ("secrets: []", 0, [".secrets"]),
        ("secrets: [a, b, c]", 0, [".secrets"]), ("secret: a, secrets: [b]", 0, [".secrets"]),
        ("username: x", 0, [".secret"]), ("secrets: one", 0, [".secrets"]),
    ])
    func secrets(keys: String, count: Int, paths: [String]) throws {
        let loaded = try load("credentials: [{name: a, scopes: [], \(keys)}]\n")
        #expect(loaded.mistakes.map(\.path) == paths.map { "credentials[0]\($0)" }, "\(loaded.mistakes)")
        if paths.isEmpty { #expect(loaded.configuration?.credentials.first?.secrets.count == count) }
    }

    /// 30 days before the end, and afterwards.
    @Test(arguments: [
        ("2026-12-31", nil), ("2026-12-22T00:00:01Z", nil), ("2026-12-22T00:00:00Z", nil),
        ("2026-12-21T23:59:59Z", "expires within thirty days"), ("2026-11-22", "expires within thirty days"),
        ("2026-11-22T00:00:00Z", "has expired"), ("2026-11-21", "has expired"),
    ])
    func expiryIsWarnedOf(expires: String, warning: String?) throws {
        var dependencies = LoaderDependencies.gateway
        let now = try #require(Instant.seconds(of: "2026-11-22T00:00:00Z"))
        dependencies.now = { Int64(now) }
        let folder = try TemporaryFolder([
            "c.yaml": "credentials: [{name: a, secret: s, scopes: [], expires: \(expires)}]\n"
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml", with: dependencies)
        let warnings = loaded.warnings.filter { $0.path == "credentials[0].expires" }.map(\.message)
        #expect(warnings.count == (warning == nil ? 0 : 1))
        if let warning { #expect(warnings.first?.contains(warning) == true) }
    }
}
