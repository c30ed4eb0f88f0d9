import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// A secret that stands where a key or a variable's name belongs is a mistake that does not show it: mistakes go to terminals and logs.
@Suite struct MisplacedSecretTests {
    static let secret = "s3cr3t-of-the-shop"

    @Test(arguments: [
        ("credentials: [{name: a, scopes: [], secret: {SECRET}}]", "credentials[0].secret"),
        ("credentials: [{name: a, scopes: [], secret: {SECRET: x, file: y}}]", "credentials[0].secret"),
        ("credentials: [{name: a, scopes: [], secret: {env: SECRET}}]", "credentials[0].secret.env"),
        ("credentials: [{name: a, scopes: [], secret: {hash: SECRET}}]", "credentials[0].secret.hash"),
        ("credentials: [{name: a, scopes: [], secrets: [{SECRET}]}]", "credentials[0].secrets[0]"),
        ("vault: {volatile: {redis: {url: 'redis://localhost', password: {SECRET}}}}", "vault.volatile.redis.password"),
        ("vault: {store: postgres, postgres: {url: {SECRET}}}", "vault.postgres.url"),
        ("vault: {masterKey: {SECRET}}", "vault.masterKey"),
        ("vault: {masterKey: {env: SECRET}}", "vault.masterKey.env"),
        ("routes: [{name: a, kind: upstream, url: 'http://localhost', headers: {X: {SECRET}}}]", "routes[0].headers.X"),
        (
            "routes: [{name: a, kind: upstream, url: 'http://localhost', headers: {X: {env: SECRET}}}]",
            "routes[0].headers.X.env"
        ),
        ("routes: [{name: a, kind: upstream, url: 'http://localhost', headers: {SECRET}}]", "routes[0].headers"),
        // A blank is missing behind the colon, or the colon.
        ("credentials: [{name: a, scopes: [], secret:SECRET}]", "credentials[0]"),
        ("credentials: [{name: a, scopes: [], secret=SECRET}]", "credentials[0]"),
        ("credentials: [{name: a, scopes: [], secret SECRET}]", "credentials[0]"),
        ("vault: {store: postgres, postgres: {'url:postgresql://u:SECRET@h/db'}}", "vault.postgres"),
        ("vault: {volatile: {redis: {url redis://:SECRET@h}}}", "vault.volatile.redis"),
        (
            "routes: [{name: a, kind: upstream, url: 'http://localhost', headers: {'Authorization: Bearer SECRET'}}]",
            "routes[0].headers"
        ),
        (
            "routes: [{name: a, kind: upstream, url: 'http://localhost', headers: {'Bearer SECRET': x}}]",
            "routes[0].headers"
        ),
    ])
    func aMistakeDoesNotShowIt(_ text: String, _ path: String) throws {
        let folder = try TemporaryFolder(["c.yaml": "\n" + text.replacing("SECRET", with: Self.secret)])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.contains { $0.path == path && $0.line == 2 }, "\(loaded.mistakes)")
        for message in (loaded.mistakes + loaded.warnings).map({ "\($0)" }) {
            #expect(!message.contains(Self.secret), "\(message)")
        }
    }

    /// Only what can be given there is named.
    @Test func aHashIsOnlyOfferedWhereOneIsEnough() throws {
        let folder = try TemporaryFolder([
            "c.yaml": """
            credentials: [{name: a, scopes: [], secret: {text: x}}]
            vault: {store: postgres, postgres: {url: {hash: x}}}
            """
        ])
        let messages = Configuration.load(file: folder.path + "/c.yaml").mistakes.map(\.message)
        #expect(messages.contains("unknown key (allowed: file, env, hash)"), "\(messages)")
        #expect(messages.contains("unknown key (allowed: file, env)"), "\(messages)")
    }
}
