import Glibc

/// The bytes of a line while they are put together: strings as JSON writes them (RFC 8259 section 7), instants as RFC 3339
/// writes them in UTC. An event is written for most requests, so pieces are appended whole instead of byte by byte.
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

    /// An instant as it stands in lines, of Unix milliseconds.
    static func instant(_ milliseconds: Int64) -> String {
        var text = AuditText(capacity: 24)
        text.append(instant: milliseconds)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// JSON that needs no escaping.
    mutating func append(_ json: StaticString) {
        // Sound: the text of a `StaticString` literal lives as long as the program.
        bytes.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    mutating func append(_ json: some Collection<UInt8>) { bytes.append(contentsOf: json) }

    mutating func append(_ number: Int) {
        if (0..<10).contains(number) {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        } else {
            append(span: String(number).utf8Span.span)
        }
    }

    /// A JSON string: quotes, backslashes and controls are escaped.
    mutating func append(string text: String) {
        let utf8 = text.utf8Span.span
        bytes.append(UInt8(ascii: "\""))
        // Without a branch in the loop, so that it is done for many bytes at once.
        var escapes: UInt8 = 0
        for index in utf8.indices {
            let byte = utf8[index]
            escapes |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
        }
        if escapes == 0 {
            append(span: utf8)
        } else {
            for index in utf8.indices { append(escaped: utf8[index]) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(span: Span<UInt8>) {
        // Sound: the pointer is valid during the call, and the array keeps a copy.
        span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20:
            append("\\u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            append(span: String(byte & 0xF, radix: 16).utf8Span.span)
        default: bytes.append(byte)
        }
    }

    /// `2026-11-21T18:37:05.250Z`, of Unix milliseconds from 1970 to the end of the year 9999.
    mutating func append(instant milliseconds: Int64) {
        let milliseconds = min(max(milliseconds, 0), 253_402_300_799_999)
        var seconds = time_t(milliseconds / 1_000)
        var date = tm()
        gmtime_r(&seconds, &date)
        // Sound: all 24 bytes are written, and copied before the closure returns.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            Self.write(date.tm_year + 1_900, 4, to: text, 0, before: "-")
            Self.write(date.tm_mon + 1, 2, to: text, 5, before: "-")
            Self.write(date.tm_mday, 2, to: text, 8, before: "T")
            Self.write(date.tm_hour, 2, to: text, 11, before: ":")
            Self.write(date.tm_min, 2, to: text, 14, before: ":")
            Self.write(date.tm_sec, 2, to: text, 17, before: ".")
            Self.write(Int32(milliseconds % 1_000), 3, to: text, 20, before: "Z")
            bytes.append(contentsOf: text)
        }
    }

    @inline(__always)
    private static func write(
        _ value: Int32, _ digits: Int, to text: UnsafeMutableBufferPointer<UInt8>, _ start: Int,
        before separator: Unicode.Scalar
    ) {
        var rest = value
        for index in (start..<start + digits).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        text[start + digits] = UInt8(ascii: separator)
    }
}
