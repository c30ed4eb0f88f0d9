import Crypto
import Sensitive
import Testing
import Vault

@testable import Gateway

@Suite struct CredentialTests {
    /// RFC 7914, section 11: PBKDF2 with HMAC-SHA-256, the first 32 bytes.
    @Test(arguments: [
        ("passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
        ("Password", "NaCl", 80_000, "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"),
    ])
    func derivedKeys(password: String, salt: String, iterations: Int, key: String) throws {
        let derived = try SaltedHash.derive(
            from: SensitiveText(password), salt: Array(salt.utf8), iterations: iterations)
        #expect(Hexadecimal.encode(derived) == key)
    }

    @Test func hashesMatchTheirSecretAlone() throws {
        let hash = try SaltedHash(of: SensitiveText("s3cret"), iterations: 1_000)
        let read = try #require(SaltedHash(hash.description))
        #expect(read.matches(SensitiveText("s3cret")))
        #expect(!read.matches(SensitiveText("s3creT")))
        #expect(!hash.description.contains("s3cret"))
    }

    @Test(arguments: ["", "pbkdf2-sha256$1000$00$00", "md5$1000$00$00", "pbkdf2-sha256$0$x$y", "plain"])
    func notHashes(text: String) {
        #expect(SaltedHash(text) == nil)
    }

    private func authenticator() async throws -> Authenticator {
        let hash = try SaltedHash(of: SensitiveText("hashed-secret"), iterations: 1_000)
        let credentials = [
            CredentialConfiguration(
                name: "dev", username: "dev", secret: .text(SensitiveText("dev-secret")), scopes: []),
            CredentialConfiguration(name: "shop", username: "shop-user", secret: .hash(hash), scopes: [.createAliases]),
        ]
        return try Authenticator(credentials, audit: await TestAudit().log, checksAtOnce: 2)
    }

    @Test(arguments: [
        ("Basic ZGV2OmRldi1zZWNyZXQ=", "dev"), ("basic  ZGV2OmRldi1zZWNyZXQ", "dev"), ("Bearer dev-secret", "dev"),
        ("BEARER dev-secret", "dev"), ("Basic c2hvcC11c2VyOmhhc2hlZC1zZWNyZXQ=", "shop"),
        ("Bearer hashed-secret", "shop"),
    ])
    func knownCredentials(header: String, name: String) async throws {
        let authenticator = try await authenticator()
        #expect(try await authenticator.credential(presentedBy: header, from: "a").name == name)
        // From memory now.
        #expect(try await authenticator.credential(presentedBy: header, from: "a").name == name)
    }

    @Test(arguments: [
        nil, "", "Basic", "Basic ", "Bearer", "Bearer  ", "Digest x", "Basic ZGV2", "Basic !!!!", "dev:dev-secret",
        "Basic ZGV2OmRldi1zZWNyZXQh", "Bearer dev-secret!", "Bearer dev", "Basic c2hvcDpoYXNoZWQtc2VjcmV0",
        "Basic ZGV2Omhhc2hlZC1zZWNyZXQ=",
    ])
    func unknownCredentials(header: String?) async throws {
        let authenticator = try await authenticator()
        await #expect(throws: Authenticator.Refusal.unknown) {
            try await authenticator.credential(presentedBy: header, from: "a")
        }
    }
}
