import Glibc

/// Overwrites the first `count` bytes of `buffer` with zeros, by a call that the compiler may not remove: bytes read from or
/// written to a socket may hold card numbers (PCI DSS 4.0, requirement 3.2.1).
public func wipe(_ buffer: inout [UInt8], first count: Int) {
    buffer.withUnsafeMutableBytes { bytes in
        if let start = bytes.baseAddress { explicit_bzero(start, min(max(count, 0), bytes.count)) }
    }
}
