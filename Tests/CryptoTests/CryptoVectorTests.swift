import Testing

@testable import Crypto

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
                hex(plain).withUnsafeBufferPointer { plain in
                    hex(nonce).withUnsafeBufferPointer {
                        forward.seal(plain, nonce: $0, authenticating: hex(data), into: output)
                    }
                }
            }
            #expect(isSealed)
            #expect(sealed == hex(nonce) + hex(cipher) + hex(tag))
            var opened = [UInt8](repeating: 0xff, count: plain.count / 2)
            let isOpened = opened.withUnsafeMutableBufferPointer { output in
                sealed.withUnsafeBufferPointer { backward.open($0, authenticating: hex(data), into: output) }
            }
            #expect(isOpened)
            #expect(opened == hex(plain))
        }
        var changed = sealed
        changed[changed.count - 1] ^= 1
        var opened = [UInt8](repeating: 0xff, count: plain.count / 2)
        let isOpened = opened.withUnsafeMutableBufferPointer { output in
            changed.withUnsafeBufferPointer { backward.open($0, authenticating: hex(data), into: output) }
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
        let wrap = try KeyWrap(key: hex("5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8"))
        #expect(try wrap.wrap(hex(key)) == hex(wrapped))
        #expect(wrap.unwrap(hex(wrapped)) == hex(key))
        var changed = hex(wrapped)
        changed[3] ^= 0x10
        #expect(wrap.unwrap(changed) == nil)
        #expect(try KeyWrap(key: [UInt8](repeating: 7, count: 32)).unwrap(hex(wrapped)) == nil)
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
        for count in 0...3 {
            #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3], secretSuffix: count))
            for other in [[0, 2, 3], [1, 2, 4], [1, 2], [1, 2, 3, 4]] as [[UInt8]] {
                #expect(!ConstantTime.equal([1, 2, 3], other, secretSuffix: count), "\(other), \(count)")
            }
        }
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 3], secretSuffix: 4))
        #expect(ConstantTime.equal([], [], secretSuffix: 0))
    }

    /// C2SP, `XAES-256-GCM.md`, "Test vectors".
    @Test(arguments: [
        (UInt8(1), "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        (3, "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ])
    func extendedNonces(key: UInt8, data: String, sealed: String) throws {
        let cipher = try XAES256GCM(key: [UInt8](repeating: key, count: 32))
        let nonce = Array("ABCDEFGHIJKLMNOPQRSTUVWX".utf8)
        let data = Array(data.utf8)
        for _ in 0..<2 {
            #expect(
                try cipher.seal("XAES-256-GCM", nonce: nonce, authenticating: data) == nonce + hex(sealed))
            #expect(
                try cipher.seal(Array("XAES-256-GCM".utf8), nonce: nonce, authenticating: data) == nonce + hex(sealed))
            #expect(cipher.open(nonce + hex(sealed), authenticating: data) == "XAES-256-GCM")
            #expect(cipher.openBytes(nonce + hex(sealed), authenticating: data) == Array("XAES-256-GCM".utf8))
        }
        for index in 0..<(24 + sealed.count / 2) {
            var changed = nonce + hex(sealed)
            changed[index] ^= 0x40
            #expect(cipher.open(changed, authenticating: data) == nil)
        }
        #expect(cipher.open(nonce + hex(sealed), authenticating: data + [0]) == nil)
        #expect(cipher.open(Array(nonce.prefix(3)), authenticating: data) == nil)
        #expect(throws: CryptoError.unsuitableLength("XAES nonce")) {
            try cipher.seal("x", nonce: Array(nonce.dropLast()), authenticating: [])
        }
    }

    /// RFC 5869, appendix A.1 to A.3.
    @Test(arguments: [
        (
            String(repeating: "0b", count: 22), "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        (
            (0x00...0x4f).map(byte).joined(), (0x60...0xaf).map(byte).joined(), (0xb0...0xff).map(byte).joined(),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        (
            String(repeating: "0b", count: 22), "", "",
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ])
    func keyDerivation(root: String, salt: String, purpose: String, key: String) throws {
        let derived = try HKDF.key(from: hex(root), salt: hex(salt), purpose: hex(purpose), count: key.count / 2)
        #expect(derived == hex(key))
    }

    @Test func keysThatAreNotDerived() {
        #expect(throws: CryptoError.unsuitableLength("HKDF output")) {
            try HKDF.key(from: hex(String(repeating: "0b", count: 22)), purpose: [], count: 255 * 32 + 1)
        }
        #expect(throws: CryptoError.unsuitableLength("HKDF root")) { try HKDF.key(from: [1, 2, 3], purpose: []) }
    }
}

/// Two hexadecimal digits.
private func byte(_ value: Int) -> String { Hexadecimal.encode([UInt8(value)]) }
