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
        var ends: (UInt64, UInt64) = (0, 0)
        var counts = (0, 0)
        var isRange = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "-"), !isRange {
                isRange = true
                continue
            }
            // Nineteen digits fit 64 bits.
            guard byte.isDigit, max(counts.0, counts.1) < 19 || isRange && counts.1 < 19 else { return nil }
            let digit = UInt64(byte &- 0x30)
            if isRange {
                ends.1 = 10 * ends.1 + digit
                counts.1 += 1
            } else {
                ends.0 = 10 * ends.0 + digit
                counts.0 += 1
            }
        }
        if !isRange { (ends.1, counts.1) = (ends.0, counts.0) }
        guard counts.0 > 0, counts.0 == counts.1, ends.0 <= ends.1 else { return nil }
        self.init(digits: counts.0, low: ends.0, high: ends.1)
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

    func begins(with digits: String) -> Bool {
        var number: UInt64 = 0
        for digit in digits.utf8 { number = 10 &* number &+ UInt64(digit &- 0x30) }
        return value(ofFirst: digits.utf8.count) == number
    }
}
