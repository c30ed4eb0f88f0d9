import COpenSSL
import Glibc

/// Comparisons whose time does not tell where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes. Only their lengths may be learnt from the time it takes.
    public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// Whether both hold the same bytes, where whoever knows the last `count` may know the others: these are compared only if the last
    /// ones are equal, and faster.
    public static func equal(_ left: [UInt8], _ right: [UInt8], secretSuffix count: Int) -> Bool {
        guard left.count == right.count, 0...left.count ~= count else { return false }
        let start = left.count - count
        // Sound: both buffers have `left.count` bytes, and live until the closures end.
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return CRYPTO_memcmp(left + start, right + start, count) == 0 && memcmp(left, right, start) == 0
            }
        }
    }
}
