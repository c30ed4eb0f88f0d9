import COpenSSL
import Synchronization

/// XAES-256-GCM (C2SP, `XAES-256-GCM.md`) under one key: AES-256-GCM under a key that is derived for each message from the
/// first half of a 192-bit nonce, with the other half as GCM's nonce. Nonces of 192 bits can be drawn at random for as many
/// messages as there will ever be (2^80), where the 96 bits of GCM alone suffice for 2^32.
///
/// A message of 16 bytes costs twice as much as with one key for all, some 0.4 µs more: two blocks of AES for its key, and GCM's key
/// schedule.
public final class XAES256GCM: Sendable {
    /// Bytes of a nonce.
    public static let nonceSize = 24
    private static let overhead = nonceSize + CipherContext.tagSize

    /// Bytes of the message that was sealed in so many.
    public static func openedSize(ofSealed count: Int) -> Int { max(0, count - overhead) }

    private let contexts: Striped<Contexts>

    /// Copies the 32 bytes of the key; the caller may wipe its own afterwards.
    public init(key: [UInt8]) throws(CryptoError) {
        guard key.count == 32 else { throw .unsuitableLength("AES-256 key") }
        contexts = try Striped { () throws(CryptoError) in try Contexts(key: key) }
    }

    /// `nonce ‖ ciphertext ‖ tag` for the bytes of `text`. A nonce must never be used twice under one key.
    public func seal(_ text: String, nonce: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        var text = text
        let size = text.utf8.count
        try check(size, nonce)
        return try Sealed.bytes(size + Self.overhead) { output in
            text.withUTF8 { encrypt($0, nonce, data, output) }
        }
    }

    /// The same for bytes.
    public func seal(_ bytes: [UInt8], nonce: [UInt8], authenticating data: [UInt8]) throws(CryptoError) -> [UInt8] {
        try check(bytes.count, nonce)
        return try Sealed.bytes(bytes.count + Self.overhead) { output in
            bytes.withUnsafeBufferPointer { encrypt($0, nonce, data, output) }
        }
    }

    private func check(_ size: Int, _ nonce: [UInt8]) throws(CryptoError) {
        guard nonce.count == Self.nonceSize else { throw .unsuitableLength("XAES nonce") }
        guard size < Int(Int32.max) - Self.overhead else { throw .unsuitableLength("GCM message") }
    }

    private func encrypt(
        _ plain: UnsafeBufferPointer<UInt8>, _ nonce: [UInt8], _ data: [UInt8],
        _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        contexts.mine.encrypting.withLock { context in
            nonce.withUnsafeBufferPointer { context.seal(plain, nonce: $0, authenticating: data, into: output) }
        }
    }

    /// The text that was sealed, written straight into its own storage; `nil` if the bytes, the associated data or the
    /// key are not those that it was sealed with.
    public func open(_ sealed: [UInt8], authenticating data: [UInt8]) -> String? {
        Sealed.text(sealed.count - Self.overhead) { open(sealed, data, into: $0) }
    }

    /// The same for bytes.
    public func openBytes(_ sealed: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
        Sealed.plainBytes(sealed.count - Self.overhead) { open(sealed, data, into: $0) }
    }

    private func open(_ sealed: [UInt8], _ data: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        contexts.mine.decrypting.withLock { context in
            sealed.withUnsafeBufferPointer { context.open($0, authenticating: data, into: output) }
        }
    }

    /// One thread's pair of contexts.
    private final class Contexts: Sendable {
        let encrypting: Mutex<DerivingContext>
        let decrypting: Mutex<DerivingContext>

        init(key: [UInt8]) throws(CryptoError) {
            let forward = try DerivingContext(key: key, encrypts: true)
            let backward = try DerivingContext(key: key, encrypts: false)
            encrypting = Mutex(forward)
            decrypting = Mutex(backward)
        }
    }
}

/// A cipher context that takes a key of its own for each message: AES-CMAC (RFC 4493) of the nonce's first half, twice, each
/// over one block.
///
/// `@unchecked Sendable`: for the reason that `CipherContext` gives.
struct DerivingContext: ~Copyable, @unchecked Sendable {
    private typealias Block = (UInt64, UInt64)
    private static let halfNonce = CipherContext.nonceSize

    private let cipher: CipherContext
    /// AES-256 under the root key, block by block.
    private let block: OpaquePointer
    /// The subkey that CMAC adds to a whole last block ("K1").
    private let subkey: Block

    init(key: [UInt8], encrypts: Bool) throws(CryptoError) {
        guard key.count == 32 else { throw .unsuitableLength("AES-256 key") }
        let cipher = try CipherContext(encrypts: encrypts)
        let prepared: (OpaquePointer, Block)? = KeyMemory.use {
            guard let block = EVP_CIPHER_CTX_new() else { return nil }
            if let subkey = Self.prepare(block, key) { return (block, subkey) }
            EVP_CIPHER_CTX_free(block)
            return nil
        }
        guard let (block, subkey) = prepared else { throw .failed("AES-256 key") }
        self.cipher = cipher
        self.block = block
        self.subkey = subkey
    }

    /// Sets the key up; returns the subkey K1 (RFC 4493 section 2.3): the encrypted zero block, doubled in GF(2^128).
    private static func prepare(_ block: OpaquePointer, _ key: [UInt8]) -> Block? {
        var written: Int32 = 0
        var zero: Block = (0, 0)
        defer { withUnsafeMutableBytes(of: &zero) { SecureWipe.wipe($0) } }
        let isReady = withUnsafeMutableBytes(of: &zero) { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self).baseAddress
            return EVP_EncryptInit_ex(block, EVP_aes_256_ecb(), nil, key, nil) == 1
                && EVP_CIPHER_CTX_set_padding(block, 0) == 1
                && EVP_EncryptUpdate(block, bytes, &written, bytes, 16) == 1
        }
        guard isReady, written == 16 else { return nil }
        let number = UInt128(UInt64(bigEndian: zero.0)) << 64 | UInt128(UInt64(bigEndian: zero.1))
        let doubled = number << 1 ^ (number >> 127 == 1 ? 0x87 : 0)
        return (UInt64(truncatingIfNeeded: doubled >> 64).bigEndian, UInt64(truncatingIfNeeded: doubled).bigEndian)
    }

    deinit {
        // The subkey lies in the memory of this context's owner, which a wiping `free` overwrites. It tells nothing of the key.
        EVP_CIPHER_CTX_free(block)
    }

    /// Writes `nonce ‖ ciphertext ‖ tag` into `output`, which has exactly that room. The caller has checked the sizes.
    func seal(
        _ plain: UnsafeBufferPointer<UInt8>, nonce: UnsafeBufferPointer<UInt8>, authenticating data: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard let start = output.baseAddress, let nonceStart = nonce.baseAddress, deriveKey(from: nonceStart) else {
            return false
        }
        start.update(from: nonceStart, count: Self.halfNonce)
        return cipher.seal(
            plain, nonce: UnsafeBufferPointer(rebasing: nonce[Self.halfNonce...]), authenticating: data,
            into: UnsafeMutableBufferPointer(rebasing: output[Self.halfNonce...]))
    }

    /// Decrypts `nonce ‖ ciphertext ‖ tag` into `output` and checks the tag. On failure the output has been wiped.
    func open(
        _ sealed: UnsafeBufferPointer<UInt8>, authenticating data: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard sealed.count >= XAES256GCM.nonceSize + CipherContext.tagSize, let start = sealed.baseAddress,
            deriveKey(from: start)
        else { return false }
        return cipher.open(
            UnsafeBufferPointer(rebasing: sealed[Self.halfNonce...]), authenticating: data, into: output)
    }

    /// Gives the cipher the key of the message whose nonce begins with these 12 bytes.
    private func deriveKey(from nonce: UnsafePointer<UInt8>) -> Bool {
        var words: (Block, Block) = (subkey, subkey)
        return withUnsafeMutableBytes(of: &words) { bytes in
            defer { SecureWipe.wipe(bytes) }
            // CMAC's counter, the letter X and a zero, then the nonce's half, in each of the two blocks.
            for (start, counter) in [(0, 1), (16, 2)] as [(Int, UInt8)] {
                bytes[start + 1] ^= counter
                bytes[start + 2] ^= UInt8(ascii: "X")
                for index in 0..<Self.halfNonce { bytes[start + 4 + index] ^= nonce[index] }
            }
            let key = bytes.bindMemory(to: UInt8.self)
            var written: Int32 = 0
            guard EVP_EncryptUpdate(block, key.baseAddress, &written, key.baseAddress, 32) == 1, written == 32 else {
                return false
            }
            return cipher.setKey(UnsafeBufferPointer(key))
        }
    }
}
