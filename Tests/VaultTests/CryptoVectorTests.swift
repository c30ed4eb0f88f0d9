import Testing

@testable import Vault

/// The bytes of a row of hexadecimal digits.
func hex(_ text: String) -> [UInt8] {
    Hexadecimal.decode(text.utf8) ?? []
}

@Suite("Published vectors")
struct CryptoVectorTests {
    /// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B, test cases 13–16 (AES-256), submitted to
    /// NIST and the source of SP 800-38D's.
    @Test(arguments: [
        (
            String(repeating: "00", count: 32), "000000000000000000000000", "", "", "",
            "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        (
            String(repeating: "00", count: 32), "000000000000000000000000", "", "00000000000000000000000000000000",
            "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888", "",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            "b094dac5d93471bdec1a502270e3cc6c"
        ),
        (
            "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
            "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            "76fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ])
    func galoisCounterMode(
        key: String, nonce: String, data: String, plain: String, cipher: String, tag: String
    ) throws {
        let forward = try CipherContext(key: hex(key), encrypts: true)
        let backward = try CipherContext(key: hex(key), encrypts: false)
        var sealed = [UInt8](repeating: 0, count: 12 + plain.count / 2 + 16)
        // Twice with the same contexts: a kept context must start afresh each time.
        for _ in 0..<2 {
            let isSealed = sealed.withUnsafeMutableBufferPointer { output in
                hex(plain).withUnsafeBufferPointer {
                    forward.seal($0, nonce: hex(nonce), authenticating: hex(data), into: output)
                }
            }
            #expect(isSealed)
            #expect(sealed == hex(nonce) + hex(cipher) + hex(tag))
            var opened = [UInt8](repeating: 0xff, count: plain.count / 2)
            let isOpened = opened.withUnsafeMutableBufferPointer {
                backward.open(sealed, authenticating: hex(data), into: $0)
            }
            #expect(isOpened)
            #expect(opened == hex(plain))
        }
        var changed = sealed
        changed[changed.count - 1] ^= 1
        var opened = [UInt8](repeating: 0xff, count: plain.count / 2)
        let isOpened = opened.withUnsafeMutableBufferPointer {
            backward.open(changed, authenticating: hex(data), into: $0)
        }
        #expect(!isOpened)
        #expect(opened.allSatisfy { $0 == 0 })
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 20), "4869205468657265",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            String(repeating: "aa", count: 131),
            "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579204669727374",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func keyedHash(key: String, message: String, code: String) throws {
        let hmac = try HMACSHA256(key: hex(key))
        let text = String(decoding: hex(message), as: UTF8.self)
        for _ in 0..<2 {
            #expect(try hmac.code(for: hex(message)) == hex(code))
            #expect(try hmac.code(prefix: [], message: text).bytes == hex(code))
        }
    }

    /// RFC 5649, section 6.
    @Test(arguments: [
        (
            "c37b7e6492584340bed12207808941155068f738",
            "138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a"
        ),
        ("466f7250617369", "afbeb0f07dfbf5419200f2ccb50bb24f"),
    ])
    func keyWrap(key: String, wrapped: String) throws {
        let wrap = KeyWrap(key: hex("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8"))
        #expect(try wrap.wrap(hex(key)) == hex(wrapped))
        #expect(wrap.unwrap(hex(wrapped)) == hex(key))
        var changed = hex(wrapped)
        changed[3] ^= 0x10
        #expect(wrap.unwrap(changed) == nil)
        #expect(KeyWrap(key: [UInt8](repeating: 7, count: 32)).unwrap(hex(wrapped)) == nil)
    }

    /// FIPS 180-4, example "abc".
    @Test func digest() throws {
        let expected = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(try SHA256.digest(Array("abc".utf8)) == expected)
    }

    @Test func constantTimeComparison() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
        #expect(ConstantTime.equal([], []))
    }

    @Test(arguments: [
        (UInt128.max, "YcVfxkQb6JRzqk5kF2tNLv"), (0, "1111111111111111"), (57, "111111111111111z"),
        (58, "11111111111111121"), (UInt128(58) * 58, "111111111111112" + "11"),
    ])
    func base58(number: UInt128, text: String) {
        #expect(String(decoding: Base58.encode(number), as: UTF8.self) == text)
    }
}
