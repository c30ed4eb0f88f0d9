/// Header names that are recognised during parsing, so that finding them later compares no text.
public enum KnownField: UInt8, Sendable, Hashable {
    case host
    case expect
    case connection
    case contentType
    case authorization
    case contentLength
    case transferEncoding
    case origin

    /// The known name in `range`, in any mixture of cases. `range` must be a token: names are compared by words,
    /// which would also accept some control characters.
    @inline(__always)
    static func recognise(_ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        switch range.count {
        case 4: bytes.holdsName("host", at: range.lowerBound) ? .host : nil
        case 6:
            bytes.holdsName("origin", at: range.lowerBound)
                ? .origin : bytes.holdsName("expect", at: range.lowerBound) ? .expect : nil
        case 10: bytes.holdsName("connection", at: range.lowerBound) ? .connection : nil
        case 12: bytes.holdsName("content-type", at: range.lowerBound) ? .contentType : nil
        case 13: bytes.holdsName("authorization", at: range.lowerBound) ? .authorization : nil
        case 14: bytes.holdsName("content-length", at: range.lowerBound) ? .contentLength : nil
        case 17: bytes.holdsName("transfer-encoding", at: range.lowerBound) ? .transferEncoding : nil
        default: nil
        }
    }
}
