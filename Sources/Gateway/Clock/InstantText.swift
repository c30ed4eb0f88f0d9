/// Instants as RFC 3339 writes them, in UTC.
enum InstantText {
    /// `2026-11-21T18:37:05Z`.
    static func seconds(_ unixSeconds: Int64) -> String {
        String(unsafeUninitializedCapacity: 20) { text in
            write(unixSeconds, into: text)
            text[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// `2026-11-21T18:37:05.250Z`.
    static func milliseconds(_ unixMilliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: 24) { text in
            write(unixMilliseconds / 1_000, into: text)
            text[19] = UInt8(ascii: ".")
            write(Int(unixMilliseconds % 1_000), digits: 3, at: 20, into: text)
            text[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    /// The first 19 characters: a log line is written for every request, so this makes no text on the way.
    private static func write(_ unixSeconds: Int64, into text: UnsafeMutableBufferPointer<UInt8>) {
        // Up to the end of the year 9999.
        let seconds = Int(min(max(unixSeconds, 0), 253_402_300_799))
        let date = CivilDate(daysSinceEpoch: seconds / 86_400)
        write(date.year, digits: 4, at: 0, into: text)
        text[4] = UInt8(ascii: "-")
        write(date.month, digits: 2, at: 5, into: text)
        text[7] = UInt8(ascii: "-")
        write(date.day, digits: 2, at: 8, into: text)
        text[10] = UInt8(ascii: "T")
        write(seconds % 86_400 / 3_600, digits: 2, at: 11, into: text)
        text[13] = UInt8(ascii: ":")
        write(seconds % 3_600 / 60, digits: 2, at: 14, into: text)
        text[16] = UInt8(ascii: ":")
        write(seconds % 60, digits: 2, at: 17, into: text)
    }

    private static func write(
        _ value: Int, digits: Int, at start: Int, into text: UnsafeMutableBufferPointer<UInt8>
    ) {
        var rest = max(value, 0)
        for index in (start..<start + digits).reversed() {
            text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
