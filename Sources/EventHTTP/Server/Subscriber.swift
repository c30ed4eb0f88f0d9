/// Whose connections count together: an IPv4 address, or the first 64 bits of an IPv6 address, which one customer of a network has to
/// himself (RFC 6177).
struct Subscriber: Hashable {
    private let high: UInt64
    private let low: UInt64

    /// - Parameter bits: of an address; an IPv4 address is mapped into IPv6.
    init(_ bits: (high: UInt64, low: UInt64)) {
        let isIPv4 = bits.high == 0 && bits.low >> 32 == 0xFFFF
        (high, low) = (bits.high, isIPv4 ? bits.low : 0)
    }
}
