internal import JSON

/// The first digits of card numbers, as a range of numbers with equally many digits, both ends included.
struct PrefixRange: Sendable {
    /// Digits of each end, 1–19, so that every end fits 64 bits.
    let digits: Int
    let low: UInt64
    let high: UInt64
    /// A longer prefix whose numbers do not belong to the range.
    let except: String?

    init(digits: Int, low: UInt64, high: UInt64, except: String? = nil) {
        self.digits = digits
        self.low = low
        self.high = high
        self.except = except
    }

    /// `8405` or `4000-4099`; nil unless both ends have equally many digits, 1–19, and are in order.
    init?(_ text: String) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard let first = ends.first, let last = ends.last, ends.count <= 2 else { return nil }
        guard first.isAllDigits, last.isAllDigits, (1...19).contains(first.utf8.count) else { return nil }
        guard first.utf8.count == last.utf8.count, let low = UInt64(first), let high = UInt64(last) else { return nil }
        guard low <= high else { return nil }
        self.init(digits: first.utf8.count, low: low, high: high)
    }

    /// The range as a form file gives it.
    var text: String {
        let ends = low == high ? [low] : [low, high]
        return ends.map { end in
            let text = String(end)
            return String(repeating: "0", count: digits - text.utf8.count) + text
        }.joined(separator: "-")
    }

    /// - Parameter number: a number's first digits.
    func contains(_ number: NumberPrefixes) -> Bool {
        guard let value = number.value(ofFirst: digits), low <= value, value <= high else { return false }
        guard let except else { return true }
        return !number.begins(with: except)
    }
}

/// The first 1, 2, … 19 digits of a card number as numbers, computed once for all ranges.
struct NumberPrefixes {
    private var values = InlineArray<19, UInt64>(repeating: 0)
    private var count = 0

    /// - Parameter text: the number; all that is not an ASCII digit is skipped. A digit is a whole character.
    init(of text: String) {
        if text.isPlainASCII {
            let bytes = text.utf8Span.span
            for index in bytes.indices where bytes[index].isDigit { append(bytes[index] &- 0x30) }
        } else {
            for digit in text.asciiDigits { append(digit) }
        }
    }

    @inline(__always)
    private mutating func append(_ digit: UInt8) {
        guard count < values.count else { return }
        values[count] = 10 &* (count > 0 ? values[count - 1] : 0) &+ UInt64(digit)
        count += 1
    }

    /// The first digit; nil if there is none.
    var firstDigit: Int? { count > 0 ? Int(values[0]) : nil }

    /// Nil if there are fewer digits than that.
    @inline(__always)
    func value(ofFirst digits: Int) -> UInt64? { digits <= count ? values[digits - 1] : nil }

    func begins(with digits: String) -> Bool { value(ofFirst: digits.utf8.count) == UInt64(digits) }
}
