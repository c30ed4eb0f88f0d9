import COpenSSL

/// Comparisons whose time does not tell where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes. Only their lengths may be learnt from the time it takes.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return CRYPTO_memcmp(left, right, left.count) == 0
    }
}
