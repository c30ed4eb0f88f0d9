import COpenSSL

/// An OpenSSL context of AES-256-GCM for one direction. Freeing it wipes the key schedule.
///
/// `@unchecked Sendable`: it has one owner at a time (it is not copyable), and OpenSSL lets a context move between threads as
/// long as one uses it at a time.
struct CipherContext: ~Copyable, @unchecked Sendable {
    static let nonceSize = 12
    static let tagSize = 16

    private let context: OpaquePointer
    private let encrypts: Bool

    /// A context with the 32 bytes of a key; without one, where `setKey` follows.
    init(key: [UInt8]? = nil, encrypts: Bool) throws(CryptoError) {
        guard key == nil || key?.count == 32 else { throw .unsuitableLength("AES-256 key") }
        let context: OpaquePointer? = KeyMemory.use {
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            if EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nil, encrypts ? 1 : 0) == 1 { return context }
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        guard let context else { throw .failed("AES-256-GCM key") }
        self.context = context
        self.encrypts = encrypts
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// Puts another key of 32 bytes in the place of the one before.
    func setKey(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        let isReady =
            encrypts
            ? EVP_EncryptInit_ex(context, nil, nil, key.baseAddress, nil)
            : EVP_DecryptInit_ex(context, nil, nil, key.baseAddress, nil)
        return isReady == 1
    }

    /// Writes `nonce ‖ ciphertext ‖ tag` into `output`, which has exactly that room. The caller has checked the sizes.
    func seal(
        _ plain: UnsafeBufferPointer<UInt8>, nonce: UnsafeBufferPointer<UInt8>, authenticating data: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard let start = output.baseAddress, let nonceStart = nonce.baseAddress else { return false }
        start.update(from: nonceStart, count: nonce.count)
        let body = start + nonce.count
        var written: Int32 = 0
        guard EVP_EncryptInit_ex(context, nil, nil, nil, start) == 1,
            EVP_EncryptUpdate(context, nil, &written, data, Int32(data.count)) == 1
        else { return false }
        // An empty update would be taken for more associated data, with a null output.
        if plain.count > 0,
            EVP_EncryptUpdate(context, body, &written, plain.baseAddress, Int32(plain.count)) != 1
        {
            return false
        }
        let tag = body + plain.count
        guard EVP_EncryptFinal_ex(context, tag, &written) == 1 else { return false }
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), tag) == 1
    }

    /// Decrypts `nonce ‖ ciphertext ‖ tag` into `output` and checks the tag. On failure the output has been wiped.
    func open(
        _ sealed: UnsafeBufferPointer<UInt8>, authenticating data: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let size = sealed.count - Self.nonceSize - Self.tagSize
        guard size >= 0, output.count >= size, let start = sealed.baseAddress else { return false }
        let isAuthentic = decrypt(start, size, data, output)
        if !isAuthentic { SecureWipe.wipe(UnsafeMutableRawBufferPointer(output)) }
        return isAuthentic
    }

    private func decrypt(
        _ start: UnsafePointer<UInt8>, _ size: Int, _ data: [UInt8], _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let body = start + Self.nonceSize
        var written: Int32 = 0
        guard EVP_DecryptInit_ex(context, nil, nil, nil, start) == 1,
            EVP_DecryptUpdate(context, nil, &written, data, Int32(data.count)) == 1
        else { return false }
        if size > 0, EVP_DecryptUpdate(context, output.baseAddress, &written, body, Int32(size)) != 1 {
            return false
        }
        // The tag is only read; the parameter lacks `const` because the same call also sets other things.
        let tag = UnsafeMutableRawPointer(mutating: body + size)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), tag) == 1 else {
            return false
        }
        // GCM writes nothing here, but a null pointer is not allowed.
        var nothing: UInt8 = 0
        return EVP_DecryptFinal_ex(context, &nothing, &written) == 1
    }
}
