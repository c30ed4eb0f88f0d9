/// The supported versions; every other one is refused (RFC 9110 section 15.6.6).
public enum HTTPVersion: Sendable, Hashable {
    case http10
    case http11

    /// Reads `HTTP/d.d`, which must be all of `range` (RFC 9112 section 2.3; the name is case-sensitive).
    static func parse(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) -> HTTPVersion {
        let at = range.lowerBound
        guard range.count == 8, bytes.holds("HTTP/", at: at), bytes[at + 5].isDigit,
            bytes[at + 6] == UInt8(ascii: "."), bytes[at + 7].isDigit
        else { throw .malformedVersion }
        guard bytes[at + 5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        switch bytes[at + 7] {
        case UInt8(ascii: "1"): return .http11
        case UInt8(ascii: "0"): return .http10
        default: throw .unsupportedVersion
        }
    }
}
