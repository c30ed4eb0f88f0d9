import Crypto
import Sensitive
import Testing

@testable import Vault

/// Two clones of a machine's memory draw the same random bytes: their nonces differ all the same.
@Suite("Nonces of clones")
struct NonceTests {
    private let envelope = KeyEnvelope(vaultID: [UInt8](repeating: 5, count: 16))

    private func key() throws -> DataKey {
        try DataKey(id: 2, createdAt: 0, root: (0..<32).map { $0 }, envelope)
    }

    /// A pool whose blocks are always the same.
    private func sealer(_ seed: UInt8 = 1) -> Sealer {
        Sealer(vaultID: envelope.vaultID, random: RandomPool(source: { UnsafeMutableRawBufferPointer.fill($0, seed) }))
    }

    private func record(_ id: Int64 = 1, binding: UInt128 = 9) -> ValueRecord {
        ValueRecord(
            id: id, binding: Binding(bits: binding), fingerprint: nil, keyID: 2, sealed: [], classifiers: [],
            createdAt: 0, expiresAt: nil)
    }

    private func nonce(_ text: String, _ record: ValueRecord, seed: UInt8 = 1) throws -> [UInt8] {
        var record = record
        try sealer(seed).seal(SensitiveText(text), into: &record, under: key())
        return Array(record.sealed.prefix(XAES256GCM.nonceSize))
    }

    @Test func differForOtherMessages() throws {
        let clones = try [
            nonce("4539600166594134", record()), nonce("4539600166594135", record()),
            nonce("4539600166594134", record(2)), nonce("4539600166594134", record(binding: 10)),
            nonce("4539600166594134", record(), seed: 2),
        ]
        #expect(Set(clones).count == clones.count)
    }

    /// What is wholly the same is sealed the same: nothing is told by it.
    @Test func areTheSameForTheSameMessage() throws {
        #expect(try nonce("x", record()) == nonce("x", record()))
    }

    @Test func differForResponsesAndVolatileValues() throws {
        let (sealer, key) = (sealer(), try key())
        let responses = try (0..<3).map { number in
            try self.sealer().seal(
                response: [UInt8(number)], name: [UInt8](repeating: 1, count: 32), expiresAt: 5, under: key
            ).sealed.prefix(24)
        }
        #expect(Set(responses).count == 3)
        #expect(
            try sealer.seal(SensitiveText("123"), volatile: 1, under: key).prefix(24)
                != self.sealer().seal(SensitiveText("124"), volatile: 1, under: key).prefix(24))
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate static func fill(_ bytes: UnsafeMutableRawBufferPointer, _ seed: UInt8) -> Bool {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index) &+ seed }
        return true
    }
}
