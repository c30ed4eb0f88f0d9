import Access
import FormSchema

/// A span of time as it is written in a configuration: `10s`, `250ms`, `1.5h`. The unit cannot be left out: a bare number
/// would leave open whether seconds or milliseconds are meant.
enum TimeSpan {
    /// The span, a whole number of milliseconds; nil if `text` is none or does not fit.
    static func parse(_ text: String) -> Duration? {
        milliseconds(text).flatMap { Int64(exactly: $0) }.map { .milliseconds($0) }
    }

    /// Whether `text` is a span, also if it does not fit.
    static func isSpan(_ text: String) -> Bool { milliseconds(text) != nil }

    /// Nil if `text` is no span, or no whole number of milliseconds.
    private static func milliseconds(_ text: String) -> UInt128? { WrittenTime(text, spaces: 1)?.wholeMilliseconds }

    /// The span as it is written, in the largest unit that it is a whole number of.
    static func text(_ span: Duration) -> String {
        let milliseconds = Int(span / .milliseconds(1))
        guard milliseconds != 0,
            let unit = WrittenTime.units.last(where: { milliseconds % $0.milliseconds == 0 && $0.name != "min" })
        else { return "0" }
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}

extension DocumentReader {
    /// The value as a span of time within `range`.
    func timeSpan(in range: ClosedRange<Duration>) -> Duration? {
        let given: Duration? =
            switch node.content {
            case .text(let text): TimeSpan.parse(text)
            // No time is the same in every unit.
            case .number("0"): .zero
            default: nil
            }
        let bounds = "must be from \(TimeSpan.text(range.lowerBound)) to \(TimeSpan.text(range.upperBound))"
        guard let given else {
            switch node.content {
            case .number: mistake("write the unit with it: 250ms, 10s, 5m or 1h")
            case .text(let text) where TimeSpan.isSpan(text): mistake(bounds)
            default: mistake("expected a span of time such as 250ms, 10s, 5m or 1h")
            }
            return nil
        }
        guard range.contains(given) else {
            mistake(bounds)
            return nil
        }
        return given
    }
}
