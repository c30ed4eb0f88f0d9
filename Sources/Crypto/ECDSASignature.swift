import COpenSSL

/// The two spellings of an ECDSA signature.
enum ECDSASignature {
    /// The DER form (RFC 3279 section 2.2.3), which OpenSSL reads, of a signature on P-256 as JWS writes it: `r ‖ s`,
    /// 32 bytes each (RFC 7518 section 3.4). Nil unless there are 64 bytes.
    static func der(ofP256 raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 64, let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let numbers = raw.withUnsafeBufferPointer { raw -> (OpaquePointer?, OpaquePointer?) in
            guard let start = raw.baseAddress else { return (nil, nil) }
            return (BN_bin2bn(start, 32, nil), BN_bin2bn(start + 32, 32, nil))
        }
        // From here on the signature owns the numbers.
        guard let r = numbers.0, let s = numbers.1, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(numbers.0)
            BN_free(numbers.1)
            return nil
        }
        // Two tags and lengths, each number with a zero in front at most: 72 bytes.
        var encoded = [UInt8](repeating: 0, count: 80)
        let count = encoded.withUnsafeMutableBufferPointer { encoded -> Int32 in
            var end = encoded.baseAddress
            return i2d_ECDSA_SIG(signature, nil) <= 80 ? i2d_ECDSA_SIG(signature, &end) : 0
        }
        return count > 0 ? Array(encoded.prefix(Int(count))) : nil
    }
}
