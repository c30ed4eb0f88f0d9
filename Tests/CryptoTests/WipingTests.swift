import Interposing
import Testing

@testable import Crypto

@Suite struct WipingTests {
    /// What was drawn is zero in the block at once, and the rest when the block is released.
    @Test func randomBytesAreWiped() throws {
        let pattern = try RandomPool().bytes(64)
        let (first, rest) = (Array(pattern[..<32]), Array(pattern[32...]))
        let watched = [first, rest].map { (bytes: [UInt8]) in interposed_watch(bytes, bytes.count) }
        func draw() throws {
            var block = RandomBlock { memory in
                memory.copyBytes(from: pattern)
                return true
            }
            #expect(try block.bytes(32) == first)
        }
        try draw()
        #expect(watched.map(interposed_wipes) == [0, 1])
    }

    /// The derived key of the first vector of C2SP's XAES-256-GCM.
    @Test func aDerivedKeyIsWiped() throws {
        let derived: [UInt8] = [
            0xC8, 0x61, 0x2C, 0x9E, 0xD5, 0x3F, 0xE4, 0x3E, 0x8E, 0x00, 0x5B, 0x82, 0x8A, 0x16, 0x31, 0xA0, 0xBB, 0xCB,
            0x6A, 0xB2, 0xF4, 0x65, 0x14, 0xEC, 0x4F, 0x43, 0x9F, 0xCF, 0xD0, 0xFA, 0x96, 0x9B,
        ]
        let watched = interposed_watch(derived, derived.count)
        let cipher = try XAES256GCM(key: [UInt8](repeating: 1, count: 32))
        let sealed = try cipher.seal("XAES-256-GCM", nonce: Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8), authenticating: [])
        let sealing = interposed_wipes(watched)
        #expect(sealing >= 1)
        #expect(cipher.open(sealed, authenticating: []) == "XAES-256-GCM")
        #expect(interposed_wipes(watched) > sealing)
    }

    /// Bytes to compare with an empty prefix, or with more.
    @Test(arguments: [([1], [1, 2]), ([1, 2], [1]), ([], [1])] as [([UInt8], [UInt8])])
    func aPrefixIsNotEqual(left: [UInt8], right: [UInt8]) {
        #expect(!ConstantTime.equal(left, right))
    }

    @Test func wipedMeansOverwritten() {
        var bytes: [UInt8] = [1, 2, 3]
        SecureWipe.wipe(&bytes)
        #expect(bytes == [0, 0, 0])
    }
}
