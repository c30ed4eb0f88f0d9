import FormSchema
import Testing

@testable import Gateway

@Suite struct SharedSecretTests {
    /// A Bearer token is a secret alone: two credentials with the same one could not be told apart.
    @Test func aSecretIsOfOneCredential() throws {
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
        #expect(loaded.mistakes.map(\.path) == ["credentials[2].secret", "credentials[3].secret"])
        #expect(loaded.mistakes.map(\.line) == [4, 5])
        #expect(loaded.mistakes.allSatisfy { $0.message.contains("same secret") && !$0.message.contains("first") })
    }
}
