import Access
import AuditLogTesting
import EventHTTP
import Sensitive
import Testing
import Vault
import VaultTesting

@testable import Configuration
@testable import Gateway

@Suite struct CredentialTests {
    @Test func hashesMatchTheirSecretAlone() throws {
        let made = try SaltedHash(of: "s3cret")
        let read = try #require(SaltedHash(made.description))
        #expect(read.iterations == SaltedHash.defaultIterations)
        #expect(read.matches(PresentedSecret(Array("s3cret".utf8))))
        #expect(!read.matches(PresentedSecret(Array("s3creT".utf8))))
        #expect(!made.description.contains("s3cret"))
    }

    @Test(arguments: ["", "pbkdf2-sha256$1000$00$00", "md5$1000$00$00", "pbkdf2-sha256$0$x$y", "plain"])
    func notHashes(text: String) {
        #expect(SaltedHash(text) == nil)
    }

    private func authenticator(iterations: Int = 1_000) async throws -> Authenticator {
        let hash = try SaltedHash(
            of: PresentedSecret(Array("hashed-secret".utf8)), salt: [UInt8](repeating: 7, count: 16),
            iterations: iterations)
        let credentials = [
            CredentialSettings(
                name: "dev", username: "dev", secrets: [.text(SensitiveText("dev-secret"))], scopes: []),
            CredentialSettings(name: "shop", username: "shop-user", secrets: [.hash(hash)], scopes: [.createAliases]),
            CredentialSettings(
                name: "till", username: "till", secrets: [], clientCertificate: "till.example", scopes: []),
        ]
        let keys = try AccessKeys(root: [UInt8](repeating: 1, count: 32))
        let telemetry = Telemetry(LogSettings(), sink: try LogSink())
        return try Authenticator(
            credentials.map { Credential($0) },
            sessions: Sessions(keys, vault: await openVault(MemoryAliasStore()), telemetry: telemetry),
            providers: IdentityProviders(
                AuthSettings(), client: Client(loops: []), telemetry: telemetry),
            limits: nil, memory: SecretMemory(),
            audit: await TestAudit().log, telemetry: telemetry,
            checksAtOnce: 2)
    }

    @Test(arguments: [
        ("Basic ZGV2OmRldi1zZWNyZXQ=", "dev"), ("basic  ZGV2OmRldi1zZWNyZXQ", "dev"), ("Bearer dev-secret", "dev"),
        ("BEARER dev-secret", "dev"), ("Basic c2hvcC11c2VyOmhhc2hlZC1zZWNyZXQ=", "shop"),
        ("Bearer hashed-secret", "shop"),
    ])
    func knownCredentials(header: String, name: String) async throws {
        let authenticator = try await authenticator()
        #expect(try await self.name(of: header, authenticator) == name)
        // From memory now.
        #expect(try await self.name(of: header, authenticator) == name)
    }

    @Test(arguments: [
        nil, "", "Basic", "Basic ", "Bearer", "Bearer  ", "Digest x", "Basic ZGV2", "Basic !!!!", "dev:dev-secret",
        "Basic ZGV2OmRldi1zZWNyZXQh", "Bearer dev-secret!", "Bearer dev", "Basic c2hvcDpoYXNoZWQtc2VjcmV0",
        "Basic ZGV2Omhhc2hlZC1zZWNyZXQ=",
    ])
    func unknownCredentials(header: String?) async throws {
        let authenticator = try await authenticator()
        #expect(try await name(of: header, authenticator) == nil)
    }

    /// Where anyone may call, an unknown secret may be meant for the upstream, and no salted hash is checked for it.
    @Test func nothingIsCheckedWhereNothingIsAskedFor() async throws {
        let authenticator = try await authenticator()
        #expect(try await name(of: "Bearer hashed-secret", authenticator, needsProof: false) == nil)
        #expect(try await name(of: "Bearer dev-secret", authenticator, needsProof: false) == "dev")
    }

    /// A certificate proves its credential beside what counts as nothing, and not beside a secret that is wrong.
    @Test(arguments: [
        (header: String?.none, needsProof: true, name: String?.some("till")), (nil, false, "till"),
        ("Bearer of-the-upstream", false, "till"), ("Digest x", false, "till"),
        ("Bearer of-the-upstream", true, nil), ("Digest x", true, nil), ("Bearer dev-secret", false, "dev"),
        ("Basic ZGV2Ondyb25n", false, nil),
    ])
    func certificatesBesideOtherProofs(header: String?, needsProof: Bool, name: String?) async throws {
        let authenticator = try await authenticator()
        // Always the same caller, also when a wrong secret is known to be one: a key must find its request.
        for _ in 0..<8 {
            let found = try await self.name(of: header, authenticator, needsProof: needsProof, names: ["till.example"])
            #expect(found == name)
        }
    }

    /// The place of a check comes back, whatever it has found.
    @Test func checksGiveTheirPlacesBack() async throws {
        let authenticator = try await authenticator()
        _ = try await name(of: "Bearer hashed-secret", authenticator)
        _ = try await name(of: "Bearer wrong-secret", authenticator)
        #expect(metrics(authenticator).contains("\ncloakroom_credential_checks 0\n"))
    }

    /// What is sent at once is judged as what is sent in turn: the tries that are free, and one for each wait.
    @Test(arguments: [1, 2]) func triesAtOnceAreTriesInTurn(readings: Int) async throws {
        let authenticator = try await authenticator()
        let address = ClientAddress(try #require(IPAddress("192.0.2.1")))
        // All of them have come before the first is looked at.
        let isHeld = await authenticator.checks.acquire(
            from: address.subscriber.description, isKnown: false, failures: 0)
        #expect(isHeld)
        let found = try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask {
                    let wrong = (0..<readings).map { "Bearer wrong-\(number)-\($0)" }
                    do throws(CallError) {
                        return try await authenticator.caller(presentingAnyOf: wrong, at: address) == nil ? 1 : 100
                    } catch {
                        guard case .tooManyWrongSecrets = error else { throw error }
                        return 0
                    }
                }
            }
            let all = "\ncloakroom_credential_checks 31\n"
            while !metrics(authenticator).contains(all) { await Task.yield() }
            authenticator.checks.release(from: address.subscriber.description)
            return try await group.reduce(0, +)
        }
        // On a slow machine a wait of a second or two may pass meanwhile.
        #expect((6...8).contains(found))
    }

    /// Of a secret that comes in several requests at once, one is looked at.
    @Test func oneWrongSecretAtOnceIsOneTry() async throws {
        let authenticator = try await authenticator()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await self.name(of: "Bearer wrong", authenticator) } }
            for try await name in group { #expect(name == nil) }
        }
        #expect(metrics(authenticator).contains("\ncloakroom_wrong_secrets_total 1\n"))
    }

    /// Strangers who have failed once each don't keep a right secret out that nobody has presented yet.
    @Test func strangersWhoHaveFailedGiveWay() async throws {
        let authenticator = try await authenticator()
        let strangers = (0..<40).map { ClientAddress(IPAddress(v4: 0xC633_6400 + $0)) }
        let tries = { (secret: String) in
            strangers.map { address in
                Task { try await authenticator.caller(presentingAnyOf: ["Bearer \(secret)"], at: address) }
            }
        }
        for stranger in strangers {
            #expect(try await authenticator.caller(presentingAnyOf: ["Bearer first"], at: stranger) == nil)
        }
        // None is looked at before all have come, so that the public's half of the queue is full.
        for holder in ["a", "b"] { _ = await authenticator.checks.acquire(from: holder, isKnown: false, failures: 0) }
        let second = tries("second")
        let refused = { (count: Int) in
            metrics(authenticator).contains("\ncloakroom_credential_check_refusals_total \(count)\n")
        }
        while !refused(8) { await Task.yield() }
        let right = Task { try await name(of: "Bearer hashed-secret", authenticator) }
        while !refused(9) { await Task.yield() }
        for holder in ["a", "b"] { authenticator.checks.release(from: holder) }
        #expect(try await right.value == "shop")
        for task in second { _ = await task.result }
        #expect(metrics(authenticator).contains("\ncloakroom_credential_checks 0\n"))
    }

    private func metrics(_ authenticator: Authenticator) -> String {
        var text = MetricsText()
        authenticator.write(into: &text)
        return text.text
    }

    private func name(
        of header: String?, _ authenticator: Authenticator, needsProof: Bool = true, names: [String] = []
    ) async throws -> String? {
        let address = ClientAddress(try #require(IPAddress("192.0.2.1")))
        return try await authenticator.caller(presenting: header, names: names, at: address, needsProof: needsProof)
            .0.name
    }
}
