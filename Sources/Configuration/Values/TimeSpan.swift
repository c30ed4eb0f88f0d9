import FormSchema

/// A span of time as it is written in a configuration: `10s`, `250ms`, `1.5h`. The unit cannot be left out: a bare number
/// would leave open whether seconds or milliseconds are meant.
enum TimeSpan {
    private static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The span, a whole number of milliseconds; nil if `text` is none or does not fit.
    static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
        var unit = text[number.endIndex...]
        if unit.first == " " { unit.removeFirst() }
        guard let scale = units.first(where: { $0.name == unit })?.milliseconds,
            let value = Double(number), number.first != ".", number.last != "."
        else { return nil }
        let milliseconds = value * Double(scale)
        // Decimals are not exact in binary: 1.1 s is a whole number of milliseconds all the same.
        guard milliseconds < 1e15, abs(milliseconds - milliseconds.rounded()) < 1e-3 else { return nil }
        return .milliseconds(Int(milliseconds.rounded()))
    }

    /// The span as it is written, in the largest unit that it is a whole number of.
    static func text(_ span: Duration) -> String {
        let milliseconds = Int(span / .milliseconds(1))
        guard milliseconds != 0,
            let unit = units.last(where: { milliseconds % $0.milliseconds == 0 && $0.name != "min" })
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
        guard let given else {
            if case .number = node.content {
                mistake("write the unit with it: 250ms, 10s, 5m or 1h")
            } else {
                mistake("expected a span of time such as 250ms, 10s, 5m or 1h")
            }
            return nil
        }
        guard range.contains(given) else {
            mistake("must be from \(TimeSpan.text(range.lowerBound)) to \(TimeSpan.text(range.upperBound))")
            return nil
        }
        return given
    }
}
