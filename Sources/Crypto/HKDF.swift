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
        guard let algorithm = EVP_KDF_fetch(nil, "HKDF", nil) else { throw .failed("HKDF") }
        defer { EVP_KDF_free(algorithm) }
        guard let context = EVP_KDF_CTX_new(algorithm) else { throw .failed("HKDF") }
        defer { EVP_KDF_CTX_free(context) }
        var digest = Array("SHA256".utf8CString)
        // OpenSSL reads them through pointers that lack `const`.
        var (root, salt, purpose) = (root, salt, purpose)
        defer { SecureWipe.wipe(&root) }
        var key = [UInt8](repeating: 0, count: count)
        let isDerived = digest.withUnsafeMutableBufferPointer { digest in
            root.withUnsafeMutableBytes { root in
                salt.withUnsafeMutableBytes { salt in
                    purpose.withUnsafeMutableBytes { purpose in
                        // Sound: names, digest and buffers outlive the call; OpenSSL copies what it keeps.
                        var parameters = [
                            OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, root.baseAddress, root.count),
                            OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, purpose.baseAddress, purpose.count),
                        ]
                        if !salt.isEmpty {
                            parameters.append(
                                OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.baseAddress, salt.count))
                        }
                        parameters.append(OSSL_PARAM_construct_end())
                        return EVP_KDF_derive(context, &key, count, parameters) == 1
                    }
                }
            }
        }
        guard isDerived else { throw .failed("HKDF") }
        return key
    }
}
