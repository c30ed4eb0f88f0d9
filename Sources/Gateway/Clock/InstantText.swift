/// Instants as RFC 3339 writes them, in UTC.
enum InstantText {
    /// `2026-11-21T18:37:05Z`.
    static func seconds(_ unixSeconds: Int64) -> String {
        String(decoding: digits(unixSeconds) + [UInt8(ascii: "Z")], as: UTF8.self)
    }

    /// `2026-11-21T18:37:05.250Z`.
    static func milliseconds(_ unixMilliseconds: Int64) -> String {
        var text = digits(unixMilliseconds / 1_000)
        text.append(UInt8(ascii: "."))
        append(Int(unixMilliseconds % 1_000), width: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    private static func digits(_ unixSeconds: Int64) -> [UInt8] {
        let seconds = Int(max(unixSeconds, 0))
        let date = CivilDate(daysSinceEpoch: seconds / 86_400)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(date.year, width: 4, to: &text)
        for (separator, value) in [
            ("-", date.month), ("-", date.day), ("T", seconds % 86_400 / 3_600), (":", seconds % 3_600 / 60),
            (":", seconds % 60),
        ] {
            text.append(contentsOf: separator.utf8)
            append(value, width: 2, to: &text)
        }
        return text
    }

    private static func append(_ value: Int, width: Int, to text: inout [UInt8]) {
        let digits = String(value)
        for _ in 0..<max(width - digits.utf8.count, 0) { text.append(UInt8(ascii: "0")) }
        text.append(contentsOf: digits.utf8)
    }
}
