import Configuration
import FormSchema
import Foundation
import Glibc
import Synchronization

/// Which day it is in one time zone. The answer is kept for the current minute: zones change their offset on whole minutes,
/// so it cannot become wrong within one.
final class ZoneClock: Sendable {
    /// Nil for UTC, so that a process whose forms know no other zone never loads the zone tables.
    private let zone: TimeZone?
    /// Minutes since the epoch in the upper half, days since the epoch in the lower; 0 before the first question.
    private let cache = Atomic<UInt64>(0)

    /// Nil if there is no such zone.
    init?(_ name: String) {
        if name == "UTC" {
            zone = nil
            return
        }
        guard Self.exists(name), let zone = TimeZone(identifier: name) else { return nil }
        self.zone = zone
    }

    /// Coordinated universal time.
    init() {
        zone = nil
    }

    /// Whether `name` is a zone of the IANA database.
    @Sendable static func exists(_ name: String) -> Bool {
        if name == "UTC" { return true }
        guard name.utf8.count <= 64,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) })
        else { return false }
        let isListed = TimeZone.knownTimeZoneIdentifiers.contains(name)
        let isInstalled =
            access("/usr/share/zoneinfo/" + name, R_OK) == 0 && !FilePath.isFolder("/usr/share/zoneinfo/" + name)
        return (isListed || isInstalled) && TimeZone(identifier: name) != nil
    }

    /// Today.
    func today() -> CalendarDay {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        let seconds = max(time.tv_sec, 60)
        let minute = UInt64(truncatingIfNeeded: seconds / 60) & 0xFFFF_FFFF
        let cached = cache.load(ordering: .relaxed)
        if cached >> 32 == minute { return Self.day(Int(cached & 0xFFFF_FFFF)) }
        let days = days(at: seconds)
        cache.store(minute << 32 | UInt64(truncatingIfNeeded: max(days, 0)), ordering: .relaxed)
        return Self.day(days)
    }

    /// Whether an instant, in Unix seconds, is in a day of the calendar wherever on earth: not in one of the ten that it left out in 1582, nor
    /// before the year 1 or behind 9999.
    static func hasDay(at seconds: Int) -> Bool {
        (-1...1).allSatisfy { calendarDay(days(ofLocal: seconds) + $0) != nil }
    }

    /// The day at an instant, in Unix seconds.
    func day(at seconds: Int) -> CalendarDay { Self.day(days(at: seconds)) }

    /// Days since the epoch.
    private func days(at seconds: Int) -> Int {
        let offset = zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) ?? 0
        return Self.days(ofLocal: seconds + offset)
    }

    private static func days(ofLocal seconds: Int) -> Int { (seconds - (seconds < 0 ? 86_399 : 0)) / 86_400 }

    /// A clock that is not set shows the first day that there is.
    private static func day(_ days: Int) -> CalendarDay { calendarDay(days) ?? .epoch }

    /// Nil for a day that the calendar has not.
    private static func calendarDay(_ days: Int) -> CalendarDay? {
        let date = CivilDate(daysSinceEpoch: days)
        return CalendarDay(year: date.year, month: date.month, day: date.day)
    }
}
