/// An instant as RFC 3339 writes it (`2026-11-21T18:37:05+01:00`).
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
}

extension CivilDate {
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
