/// Instants as RFC 3339 writes them (`2026-11-21T18:37:05+01:00`), read with any offset and written in UTC.
public enum Instant {
    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    /// Unix seconds, fractions cut off; nil if `text` is no instant.
    public static func seconds(of text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == dash, bytes[7] == dash, bytes[10] | 0x20 == UInt8(ascii: "t"),
            bytes[13] == colon, bytes[16] == colon
        else { return nil }
        guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19])
        else { return nil }
        guard let days = CivilDate.days(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
            guard !fraction.isEmpty else { return nil }
            rest = rest[fraction.endIndex...]
        }
        guard let offset = offset(Array(rest)) else { return nil }
        return days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    }

    /// Seconds east of Greenwich.
    private static func offset(_ bytes: [UInt8]) -> Int? {
        if bytes.count == 1, bytes[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        guard bytes.count == 6, bytes[3] == colon, let hours = number(bytes[1..<3]), let minutes = number(bytes[4..<6]),
            hours < 24, minutes < 60
        else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case dash: return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return bytes.reduce(0) { 10 * $0 + Int($1 - 0x30) }
    }

    /// `2026-11-21T18:37:05Z`.
    public static func text(seconds unixSeconds: Int64) -> String {
        String(unsafeUninitializedCapacity: 20) { text in
            write(unixSeconds, into: text)
            text[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// `2026-11-21T18:37:05.250Z`.
    public static func text(milliseconds unixMilliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: 24) { text in
            write(unixMilliseconds / 1_000, into: text)
            text[19] = UInt8(ascii: ".")
            write(Int(unixMilliseconds % 1_000), digits: 3, at: 20, into: text)
            text[23] = UInt8(ascii: "Z")
            return 24
        }
    }

    /// The first 19 characters, without intermediate strings: a log line is written for every request.
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

/// A day of the proleptic Gregorian calendar, as days since 1970-01-01.
public struct CivilDate {
    /// May be negative.
    public let year: Int
    /// From 1.
    public let month: Int
    /// From 1.
    public let day: Int

    /// Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day is the last of its year.
    public init(daysSinceEpoch days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since the epoch of a day of the proleptic Gregorian calendar; nil if there is no such day.
    static func days(year: Int, month: Int, day: Int) -> Int? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let years = month <= 2 ? year - 1 : year
        let era = (years >= 0 ? years : years - 399) / 400
        let yearOfEra = years - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        let back = CivilDate(daysSinceEpoch: days)
        return back.year == year && back.month == month && back.day == day ? days : nil
    }
}

extension Instant {
    /// Unix seconds at which what expires at `text` does: an instant, or the end of a day in UTC; nil if `text` is neither.
    static func expiry(of text: String) -> Int? {
        if let seconds = seconds(of: text) { return seconds }
        return seconds(of: text + "T00:00:00Z").map { $0 + 86_400 }
    }
}
