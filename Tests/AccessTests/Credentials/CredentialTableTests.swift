import Crypto
import Testing

@testable import Access

@Suite("Credentials")
struct CredentialTableTests {
    private func secret(_ text: String) -> PresentedSecret { PresentedSecret(Array(text.utf8)) }

    private func table() throws -> CredentialTable {
        let hash = try SaltedHash(
            of: secret("hashed-secret"), salt: [UInt8](repeating: 3, count: 16), iterations: 1_000)
        let read = try #require(SaltedHash(hash.description))
        return try CredentialTable(
            [
                Credential(
                    name: "shop", username: "shop-user",
                    secrets: [.text(secret("old-secret")), .text(secret("new-secret"))],
                    permissions: Permissions(scopes: ScopeSet(.createAliases))),
                Credential(
                    name: "batch", username: "batch", secrets: [.hash(read), .text(secret("other"))],
                    permissions: Permissions(scopes: .all)),
                Credential(
                    name: "mutual", username: "mutual", secrets: [], clientCertificate: "backend.example",
                    permissions: Permissions(scopes: .all)),
            ], key: [UInt8](repeating: 1, count: 32))
    }

    private func basic(_ text: String) -> String { "Basic " + Base64.encode(Array(text.utf8)) }

    /// The name of the credential that a header proves.
    private func name(_ header: String, _ table: CredentialTable) throws -> String? {
        guard let presented = Presented(header: header) else { return nil }
        switch table.recognise(try table.digest(of: presented)) {
        case .known(let credential): return credential.name
        case .unchecked: return table.match(presented)?.credential.name
        case .unknown: return nil
        }
    }

    @Test func twoSecretsEach() throws {
        let table = try table()
        for secret in ["old-secret", "new-secret"] {
            #expect(try name(basic("shop-user:\(secret)"), table) == "shop")
            #expect(try name("Bearer \(secret)", table) == "shop")
            #expect(try name("bEARER   \(secret)", table) == "shop")
        }
        for secret in ["hashed-secret", "other"] {
            #expect(try name(basic("batch:\(secret)"), table) == "batch")
            #expect(try name("Bearer \(secret)", table) == "batch")
        }
    }

    @Test(arguments: [
        "Bearer wrong", "Bearer", "Bearer ", "", "Digest abc", "old-secret", "Basic ", "Basic %%%",
        "Basic bm9jb2xvbg==",
        "Bearer old-secret ", "Bearer old-secre", "Basic " + Base64.encode(Array("shop:old-secret".utf8)),
        "Basic " + Base64.encode(Array("shop-user:".utf8)), "Basic " + Base64.encode(Array("batch:old-secret".utf8)),
        "Basic " + Base64.encode(Array("shop-user\u{0}:old-secret".utf8)),
        "Basic " + Base64.encode([0xFF, 0x3A, 0x61]),
        "Basic " + Base64.encode(Array("mutual:".utf8)),
    ])
    func refuses(header: String) throws {
        #expect(try name(header, try table()) == nil)
    }

    @Test func remembersHashes() throws {
        let table = try table()
        let presented = try #require(Presented(header: "Bearer hashed-secret"))
        let digest = try table.digest(of: presented)
        guard case .unchecked = table.recognise(digest) else { return #expect(Bool(false), "not to be known yet") }
        table.remember(digest, as: try #require(table.match(presented)))
        guard case .known(let credential) = table.recognise(digest) else { return #expect(Bool(false), "remembered") }
        #expect(credential.name == "batch")
    }

    @Test func namesAreExact() throws {
        let table = try table()
        #expect(table.credential(named: "shop")?.username == "shop-user" && table.credential(named: "Shop") == nil)
        #expect(table.credential(ofClientNamed: ["x", "backend.example"])?.name == "mutual")
        #expect(table.credential(ofClientNamed: []) == nil)
    }

    /// Names whose texts are equal to Swift and differ in bytes are different names.
    @Test func namesAreBytes() throws {
        let composed = Credential(
            name: "caf\u{e9}", username: "caf\u{e9}", secrets: [.text(secret("s"))],
            permissions: Permissions(scopes: .all))
        let table = try CredentialTable([composed], key: [UInt8](repeating: 1, count: 32))
        #expect(table.credential(named: "caf\u{e9}") != nil && table.credential(named: "cafe\u{301}") == nil)
    }

    /// A salted hash proves the credential whose name was given, and no other that has the same secret.
    @Test func aHashNeedsItsName() throws {
        let hash = try SaltedHash(of: secret("same"), salt: [UInt8](repeating: 3, count: 16), iterations: 1_000)
        let other = try SaltedHash(of: secret("other"), salt: [UInt8](repeating: 4, count: 16), iterations: 1_000)
        let table = try CredentialTable(
            [("first", hash), ("second", other)].map {
                Credential(name: $0, username: $0, secrets: [.hash($1)], permissions: Permissions(scopes: .all))
            }, key: [UInt8](repeating: 1, count: 32))
        #expect(try name(basic("first:same"), table) == "first")
        #expect(try name(basic("second:same"), table) == nil)
        #expect(try name(basic("second:other"), table) == "second")
    }

    /// Where a name ends and a secret begins is part of what is compared.
    @Test func aNameIsNoPartOfASecret() throws {
        let table = try table()
        let digests = try ["ab:c", "a:bc"].map {
            try table.digest(of: try #require(Presented(header: basic($0))))
        }
        #expect(digests[0] != digests[1])
    }

    @Test func largestHeader() {
        let most = Presented.maximumSize - "Bearer ".utf8.count
        #expect(Presented(header: "Bearer " + String(repeating: "x", count: most)) != nil)
        #expect(Presented(header: "Bearer " + String(repeating: "x", count: most + 1)) == nil)
    }

    @Test func nothingIsPrinted() throws {
        let presented = try #require(Presented(header: basic("shop:top-secret")))
        #expect(!"\(presented) \(presented.secret)".contains("top-secret"))
        var dumped = ""
        dump(presented, to: &dumped)
        #expect(!dumped.contains("top-secret") && !dumped.contains("116"))
    }

    /// None is made that could not be read again.
    @Test(arguments: [(.min, false), (-1, false), (0, false), (999, false), (1_000, true)] as [(Int, Bool)])
    func roundsOfSaltedHashes(iterations: Int, isOne: Bool) {
        let hash = try? SaltedHash(of: secret("s"), salt: [UInt8](repeating: 1, count: 16), iterations: iterations)
        #expect((hash != nil) == isOne && hash.map { SaltedHash($0.description) == $0 } != false)
    }

    /// PBKDF2-HMAC-SHA-256 of RFC 7914 section 11.
    @Test func saltedHashes() throws {
        let derived = try SaltedHash.derive(from: secret("passwd"), salt: Array("salt".utf8), iterations: 1)
        #expect(
            Hexadecimal.encode(derived) == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
        let many = try SaltedHash.derive(from: secret("Password"), salt: Array("NaCl".utf8), iterations: 80_000)
        #expect(Hexadecimal.encode(many) == "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56")
    }
}
