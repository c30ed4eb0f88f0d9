import Glibc

/// The bytes of a line while they are put together: strings as JSON writes them (RFC 8259 section 7), instants as RFC 3339
/// writes them in UTC.
struct AuditText {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes to reserve.
    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Now, in Unix milliseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
    }

    /// Text that needs no escaping.
    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// `prefix`, which needs no escaping, and then `text` as a JSON string: quotes, backslashes and controls are escaped.
    mutating func append(member prefix: String, string text: String) {
        append(prefix)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                append(byte < 0x10 ? "\\u000" : "\\u00")
                append(String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `2026-11-21T18:37:05.250Z`, of Unix milliseconds from 1970 to the end of the year 9999.
    mutating func append(instant milliseconds: Int64) {
        let milliseconds = min(max(milliseconds, 0), 253_402_300_799_999)
        var seconds = time_t(milliseconds / 1_000)
        var date = tm()
        gmtime_r(&seconds, &date)
        append(Int(date.tm_year) + 1_900, digits: 4, before: "-")
        append(Int(date.tm_mon) + 1, digits: 2, before: "-")
        append(Int(date.tm_mday), digits: 2, before: "T")
        append(Int(date.tm_hour), digits: 2, before: ":")
        append(Int(date.tm_min), digits: 2, before: ":")
        append(Int(date.tm_sec), digits: 2, before: ".")
        append(Int(milliseconds % 1_000), digits: 3, before: "Z")
    }

    private mutating func append(_ value: Int, digits: Int, before separator: Unicode.Scalar) {
        var divisor = digits == 4 ? 1_000 : digits == 3 ? 100 : 10
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
        bytes.append(UInt8(ascii: separator))
    }
}
