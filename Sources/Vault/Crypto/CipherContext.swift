import COpenSSL

/// An OpenSSL cipher context with an AES-256-GCM key in it, for one direction. Owned by one holder at a time (it is not
/// copyable), which is what OpenSSL asks of contexts; freeing it wipes the key schedule.
struct CipherContext: ~Copyable {
    private let context: OpaquePointer

    init(key: [UInt8], encrypts: Bool) throws(VaultError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .cryptography("cipher context") }
        let cipher = EVP_aes_256_gcm()
        let isReady =
            encrypts
            ? EVP_EncryptInit_ex(context, cipher, nil, key, nil)
            : EVP_DecryptInit_ex(context, cipher, nil, key, nil)
        guard isReady == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .cryptography("AES-256-GCM key")
        }
        self.context = context
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
    }

    /// Writes `nonce ‖ ciphertext ‖ tag` into `output`, which has exactly that room. The caller has checked the sizes.
    func seal(
        _ plain: UnsafeBufferPointer<UInt8>, nonce: [UInt8], authenticating data: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard let start = output.baseAddress else { return false }
        start.update(from: nonce, count: nonce.count)
        let body = start + nonce.count
        var written: Int32 = 0
        guard EVP_EncryptInit_ex(context, nil, nil, nil, nonce) == 1,
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
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(AES256GCM.tagSize), tag) == 1
    }

    /// Decrypts into `output` and checks the tag. On failure the output has been wiped.
    func open(
        _ sealed: [UInt8], authenticating data: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let size = sealed.count - AES256GCM.nonceSize - AES256GCM.tagSize
        guard size >= 0, output.count >= size else { return false }
        let isAuthentic = sealed.withUnsafeBufferPointer { sealed in
            guard let start = sealed.baseAddress else { return false }
            let body = start + AES256GCM.nonceSize
            var written: Int32 = 0
            guard EVP_DecryptInit_ex(context, nil, nil, nil, start) == 1,
                EVP_DecryptUpdate(context, nil, &written, data, Int32(data.count)) == 1
            else { return false }
            if size > 0, EVP_DecryptUpdate(context, output.baseAddress, &written, body, Int32(size)) != 1 {
                return false
            }
            // The tag is only read; the parameter lacks `const` because the same call also sets other things.
            let tag = UnsafeMutableRawPointer(mutating: body + size)
            guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AES256GCM.tagSize), tag) == 1 else {
                return false
            }
            // GCM writes nothing here, but a null pointer is not allowed.
            var nothing: UInt8 = 0
            return EVP_DecryptFinal_ex(context, &nothing, &written) == 1
        }
        if !isAuthentic { SecureWipe.wipe(UnsafeMutableRawBufferPointer(output)) }
        return isAuthentic
    }
}
