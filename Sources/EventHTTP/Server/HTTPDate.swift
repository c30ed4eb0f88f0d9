import Glibc
import HTTPWire

/// The line of the `Date` header (RFC 9110 section 5.6.7, IMF-fixdate), made once per second.
struct HTTPDate {
    private var second: time_t = -1
    private var line = FieldBlock.none

    /// The line for the current time.
    mutating func current() -> FieldBlock {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        if now.tv_sec != second {
            second = now.tv_sec
            line = (try? FieldBlock([("Date", HTTPDate.text(second))])) ?? .none
        }
        return line
    }

    /// The header's value for a time in Unix seconds.
    static func text(_ second: time_t) -> String {
        var second = second
        var parts = tm()
        guard gmtime_r(&second, &parts) != nil else { return "" }
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard days.indices.contains(Int(parts.tm_wday)), months.indices.contains(Int(parts.tm_mon)) else { return "" }
        let date = "\(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
        let time = "\(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):\(twoDigits(parts.tm_sec))"
        return "\(days[Int(parts.tm_wday)]), \(date) \(time) GMT"
    }

    private static func twoDigits(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
