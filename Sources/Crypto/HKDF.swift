import COpenSSL

/// HKDF with HMAC-SHA-256 (RFC 5869; a two-step derivation of NIST SP 800-56C): keys for single purposes from one root.
public enum HKDF {
    /// The key for `purpose`.
    ///
    /// - Parameters:
    ///   - root: the secret that the key is derived from: 16 bytes or more.
    ///   - salt: what keys of the same root and purpose differ by, such as the id of a vault. Not secret.
    ///   - purpose: names the use ("info" in the RFC). Keys of different purposes tell nothing of each other.
    ///   - count: bytes of the key; 255 times 32 at most.
    public static func key(
        from root: [UInt8], salt: [UInt8] = [], purpose: [UInt8], count: Int = 32
    ) throws(CryptoError) -> [UInt8] {
        guard count > 0, count <= 255 * 32 else { throw .unsuitableLength("HKDF output") }
        guard root.count >= 16 else { throw .unsuitableLength("HKDF root") }
        var key = [UInt8](repeating: 0, count: count)
        // OpenSSL copies the root.
        guard KeyMemory.use({ derive(&key, root, salt, purpose) }) else { throw .failed("HKDF") }
        return key
    }

    private static func derive(_ key: inout [UInt8], _ root: [UInt8], _ salt: [UInt8], _ purpose: [UInt8]) -> Bool {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let count = key.count
        var written = count
        return EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
            && (salt.isEmpty || EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(clamping: salt.count)) == 1)
            && EVP_PKEY_CTX_set1_hkdf_key(context, root, Int32(clamping: root.count)) == 1
            && (purpose.isEmpty
                || EVP_PKEY_CTX_add1_hkdf_info(context, purpose, Int32(clamping: purpose.count)) == 1)
            && EVP_PKEY_derive(context, &key, &written) == 1 && written == count
    }
}
