import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

@Suite struct SharedSecretTests {
    /// A Bearer token is a secret alone: two credentials with the same one could not be told apart.
    @Test func aSharedSecretIsWarnedOf() throws {
        let folder = try TemporaryFolder([
            "secret": "second\n",
            "c.yaml": """
            credentials:
              - {name: a, secret: first, scopes: []}
              - {name: b, secret: second, scopes: []}
              - {name: c, secret: first, scopes: []}
              - {name: d, secret: {file: secret}, scopes: []}
            """,
        ])
        let loaded = Configuration.load(file: folder.path + "/c.yaml")
        #expect(loaded.mistakes.isEmpty)
        let shared = loaded.warnings.filter { $0.message.contains("same secret") }
        #expect(shared.map(\.path) == ["credentials[2].secret", "credentials[3].secret"])
        #expect(shared.map(\.line) == [4, 5])
        #expect(!shared.contains { $0.message.contains("second") })
    }

    /// A database is told its secret, so that a hash of it is no way to give it.
    @Test(arguments: ["vault: {store: postgres, postgres: {url: VALUE}}", "vault: {volatile: {redis: {url: VALUE}}}"])
    func aSecretThatIsNeededIsAskedForWithoutHash(_ text: String) throws {
        for (value, message) in [("{}", "give exactly one of file and env"), ("[]", "expected {file: …} or {env: …}")] {
            let folder = try TemporaryFolder(["c.yaml": text.replacing("VALUE", with: value)])
            let messages = Configuration.load(file: folder.path + "/c.yaml").mistakes.map(\.message)
            #expect(messages.contains(message), "\(messages)")
        }
    }
}
