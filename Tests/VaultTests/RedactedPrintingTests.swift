import Crypto
import Sensitive
import Testing
import VaultTesting

@testable import Vault

/// However what holds keys and values is printed, nothing of them comes out.
@Suite("Printing of secrets")
struct RedactedPrintingTests {
    private static let bytes = [UInt8](repeating: 0xdb, count: 31) + [0xdc]
    private static let value = SensitiveText("4539600166594134")
    /// Bytes one by one, eight of them as a word, and the value.
    private static let traces: Set<Substring> = [
        "219", "220", "\(0xdbdb_dbdb_dbdb_dbdb as UInt64)", "4539600166594134",
    ]

    private func expectNothing(of secret: Any, _ sourceLocation: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(secret, to: &dumped)
        for text in [dumped, "\(secret)", String(reflecting: secret), "\([secret])"] {
            // Whole numbers: an address may have anything in it.
            let words = text.split { !$0.isLetter && !$0.isNumber }
            #expect(!words.isEmpty && Self.traces.isDisjoint(with: words), "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test func keys() throws {
        let master = try MasterKey(bytes: Self.bytes)
        #expect("\(master)" == "[redacted]" && String(reflecting: master) == "[redacted]")
        #expect("\(master.wrap)" == "[redacted]" && String(reflecting: [master.wrap]) == "[[redacted]]")
        let key = try DataKey(
            id: 1, createdAt: 2, root: Self.bytes, KeyEnvelope(vaultID: [UInt8](repeating: 0, count: 16)))
        let fingerprints = try HMACSHA256(key: Self.bytes)
        for secret: Any in [master, master.wrap, key, key.cipher, fingerprints, Optional(master) as Any] {
            expectNothing(of: secret)
        }
    }

    @Test func fingerprints() throws {
        let fingerprint = try #require(Fingerprint(bytes: Self.bytes))
        #expect("\(fingerprint)" == "[redacted]")
        expectNothing(of: fingerprint)
        expectNothing(
            of: ValueRecord(
                id: 1, binding: Binding(bits: 7), fingerprint: fingerprint, keyID: 2, sealed: [], classifiers: [],
                createdAt: 3, expiresAt: nil))
    }

    @Test func values() async throws {
        let value = Self.value
        let vault = try await memoryVault()
        let item = VaultItem.value(value, format: .uuid)
        let stored = try await vault.create([item])
        let working = WorkingValue(
            text: value, storage: .persistent, id: 1, fingerprint: nil, createdAt: 2, expiresAt: nil, classifiers: [],
            aliases: [], origin: .volatile)
        let space = try #require(AliasSpace(.numLengthPreserving, value: value.exposed))
        let planned = PlannedValue(
            text: value, format: .uuid, classifiers: [], storage: .volatile, expiresAt: nil, isReusable: false)
        for secret: Any in [item, stored[0], working, planned] {
            expectNothing(of: secret)
        }
        try await MemoryAliasStore().read { (reading) throws(VaultError) in
            expectNothing(
                of: AliasDraw(
                    .space(space), value: value, spaces: vault.spaces, volatile: vault.volatile, random: vault.random,
                    taken: reading, isShared: false, now: 0))
        }
    }
}
