/// Header names that are recognised while parsing, so that finding them later compares no text.
public enum KnownField: UInt8, Sendable, Hashable {
    case host
    case expect
    case connection
    case contentType
    case authorization
    case contentLength
    case transferEncoding

    /// The known name in `range`, in any mixture of cases.
    static func recognise(_ bytes: Span<UInt8>, _ range: Range<Int>) -> KnownField? {
        switch range.count {
        case 4: bytes.equals("host", ignoringCaseIn: range) ? .host : nil
        case 6: bytes.equals("expect", ignoringCaseIn: range) ? .expect : nil
        case 10: bytes.equals("connection", ignoringCaseIn: range) ? .connection : nil
        case 12: bytes.equals("content-type", ignoringCaseIn: range) ? .contentType : nil
        case 13: bytes.equals("authorization", ignoringCaseIn: range) ? .authorization : nil
        case 14: bytes.equals("content-length", ignoringCaseIn: range) ? .contentLength : nil
        case 17: bytes.equals("transfer-encoding", ignoringCaseIn: range) ? .transferEncoding : nil
        default: nil
        }
    }
}
