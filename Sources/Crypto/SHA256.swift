import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The 32 bytes of the digest.
    public static func digest(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
            throw .failed("SHA-256")
        }
        return digest
    }
}
