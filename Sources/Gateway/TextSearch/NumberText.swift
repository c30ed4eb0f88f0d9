import JSON

/// A number of JSON (RFC 8259 section 6) as its significant digits and a power of ten, so that `4111`, `4111.0` and `4.111e3` are the
/// same.
struct NumberText: Hashable {
    /// The digits without zeros at either end, as a number; 0 for zero.
    let significand: UInt128
    /// The power of ten that it is multiplied by.
    let exponent: Int

    /// The most significant digits that are read: as many as 128 bits hold, and more than any value has that is a number.
    private static let maximumDigits = 38
    /// The longest number that is waited for, in characters.
    static let maximumLength = 1_024

    /// The number that the text is, without a sign; nil if it is none, or has too many digits.
    init?(_ text: Span<UInt8>) {
        var reader = NumberReader()
        guard reader.read(text, at: 0) == text.count, reader.digits <= Self.maximumDigits else { return nil }
        significand = reader.significand
        exponent = reader.significand == 0 ? 0 : reader.exponent
    }

    /// Where the longest number ends that begins at `start`; nil if none does.
    static func end(of text: Span<UInt8>, at start: Int) -> Int? {
        var reader = NumberReader()
        return reader.read(text, at: start)
    }

    /// How many significant digits a number has that begins at `start`.
    static func significantDigits(_ text: Span<UInt8>) -> Int {
        var reader = NumberReader()
        _ = reader.read(text, at: 0)
        return reader.digits
    }

    /// The number itself, if it is whole and not too large.
    var whole: UInt128? {
        guard exponent >= 0, exponent <= Self.maximumDigits else { return nil }
        var value = significand
        for _ in 0..<exponent {
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            if isTooLarge { return nil }
            value = product
        }
        return value
    }

    /// All its digits in ASCII, if it is a whole number of so many.
    func wholeDigits(atMost count: Int) -> [UInt8]? {
        guard let whole, whole > 0 else { return nil }
        let digits = Array(String(whole).utf8)
        return digits.count <= count ? digits : nil
    }

    // MARK: Characters

    static func mayHold(_ byte: UInt8) -> Bool {
        byte.isDigit || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-")
    }

    /// Whether a number that begins at `start` may go on behind the end of the text. Nothing is read where the end is far away, since many
    /// places of a text may ask for it.
    static func mayReachEnd(of text: Span<UInt8>, from start: Int) -> Bool {
        text.count - start <= maximumLength + 1 && characters(of: text, from: start) == text.count
    }

    /// Behind the last of the characters from `start` on that a number may hold; no more than ``maximumLength`` and one are looked at.
    static func characters(of text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, end - start <= maximumLength, mayHold(text[end]) { end += 1 }
        return end
    }
}

/// Reads a number, digit by digit. What has too many digits for its significand is counted all the same.
private struct NumberReader {
    var significand: UInt128 = 0
    /// Significant ones.
    var digits = 0
    var exponent = 0
    /// Zeros that are significant only if another digit follows.
    private var zeros = 0

    /// Returns where the number ends; nil if none begins at `start`.
    mutating func read(_ text: Span<UInt8>, at start: Int) -> Int? {
        var position = start
        while position < text.count, text[position].isDigit {
            take(text[position])
            position += 1
        }
        guard position > start else { return nil }
        if position + 1 < text.count, text[position] == UInt8(ascii: "."), text[position + 1].isDigit {
            position += 1
            while position < text.count, text[position].isDigit {
                take(text[position])
                exponent -= 1
                position += 1
            }
        }
        exponent += zeros
        return readPower(text, at: position)
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) {
        if byte == UInt8(ascii: "0") {
            if digits > 0 { zeros += 1 }
            return
        }
        digits += zeros + 1
        // Wraps for what has too many digits, which is not used.
        while zeros > 0 {
            significand &*= 10
            zeros -= 1
        }
        significand = significand &* 10 &+ UInt128(byte &- 0x30)
    }

    /// `e+15`
    private mutating func readPower(_ text: Span<UInt8>, at start: Int) -> Int {
        guard start < text.count, text[start] | 0x20 == UInt8(ascii: "e") else { return start }
        var position = start + 1
        var isNegative = false
        if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
            isNegative = text[position] == UInt8(ascii: "-")
            position += 1
        }
        var power = 0
        let first = position
        while position < text.count, text[position].isDigit {
            power = min(10 * power + Int(text[position] &- 0x30), 1_000_000)
            position += 1
        }
        guard position > first else { return start }
        exponent += isNegative ? -power : power
        return position
    }
}
