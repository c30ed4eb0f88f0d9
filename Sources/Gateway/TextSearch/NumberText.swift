/// A number of JSON (RFC 8259 section 6) as its significant digits and a power of ten, so that `4111`, `4111.0` and `4.111e3` are the
/// same.
struct NumberText {
    /// The digits without zeros at either end; none for zero.
    let significant: [UInt8]
    /// The power of ten that they are multiplied by.
    let exponent: Int
    /// Behind its last character.
    let end: Int
    /// Whether it is more than digits: it has a fraction or an exponent.
    let hasPointOrExponent: Bool
    /// Whether it is at least 2^53, beyond which programs that keep numbers as IEEE 754 doubles round.
    let mayBeRounded: Bool

    /// The longest number that begins at `start`, without a sign; nil if none does.
    init?(_ text: Span<UInt8>, at start: Int) {
        var digits: [UInt8] = []
        var zeros = 0
        var exponent = 0
        var position = start
        func take(_ byte: UInt8) {
            if byte == UInt8(ascii: "0") {
                if !digits.isEmpty { zeros += 1 }
                return
            }
            digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: zeros))
            zeros = 0
            digits.append(byte)
        }
        while position < text.count, text[position].isASCIIDigit {
            take(text[position])
            position += 1
        }
        guard position > start else { return nil }
        let wholeEnd = position
        if position + 1 < text.count, text[position] == UInt8(ascii: "."), text[position + 1].isASCIIDigit {
            position += 1
            while position < text.count, text[position].isASCIIDigit {
                take(text[position])
                exponent -= 1
                position += 1
            }
        }
        if let (power, end) = Self.power(text, at: position) {
            exponent += power
            position = end
        }
        end = position
        hasPointOrExponent = position > wholeEnd
        mayBeRounded = digits.count + zeros + exponent >= 16
        significant = digits
        self.exponent = digits.isEmpty ? 0 : exponent + zeros
    }

    /// `e+15`: the exponent and where it ends.
    private static func power(_ text: Span<UInt8>, at start: Int) -> (Int, end: Int)? {
        guard start < text.count, text[start] | 0x20 == UInt8(ascii: "e") else { return nil }
        var position = start + 1
        var isNegative = false
        if position < text.count, text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
            isNegative = text[position] == UInt8(ascii: "-")
            position += 1
        }
        var power = 0
        let first = position
        while position < text.count, text[position].isASCIIDigit {
            power = min(10 * power + Int(text[position] &- 0x30), 1_000_000)
            position += 1
        }
        return position > first ? (isNegative ? -power : power, position) : nil
    }

    /// The longest number that is waited for, in characters.
    static let maximumLength = 1_024

    static func mayHold(_ byte: UInt8) -> Bool {
        byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "-")
    }

    /// Behind the last of the characters from `start` on that a number may hold; no more than ``maximumLength`` and one are looked at.
    static func characters(of text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, end - start <= maximumLength, mayHold(text[end]) { end += 1 }
        return end
    }

    /// The same for all ways to write one number.
    var canonical: [UInt8] { significant.isEmpty ? [] : significant + Array("e\(exponent)".utf8) }

    /// All its digits if it is a whole number of so many.
    func wholeDigits(atMost count: Int) -> [UInt8]? {
        guard !significant.isEmpty, exponent >= 0, significant.count + exponent <= count else { return nil }
        return significant + [UInt8](repeating: UInt8(ascii: "0"), count: exponent)
    }

    /// How many significant digits a number has, without zeros at either end.
    static func significantDigits(of text: Span<UInt8>) -> Int {
        var count = 0
        var zeros = 0
        for index in text.indices {
            let byte = text[index]
            if byte | 0x20 == UInt8(ascii: "e") { break }
            guard byte.isASCIIDigit else { continue }
            if byte != UInt8(ascii: "0") {
                count += zeros + 1
                zeros = 0
            } else if count > 0 {
                zeros += 1
            }
        }
        return count
    }

    /// Whether a number may be at least 2^53, by how it is written: it has an exponent, or sixteen digits in front of the point.
    static func mayBeRounded(_ text: Span<UInt8>) -> Bool {
        var whole = 0
        while whole < text.count, text[whole].isASCIIDigit { whole += 1 }
        return whole >= 16 || text.extracting(whole..<text.count).hasExponent
    }

    /// Characters of the longest number that the text begins with; nil if it begins with none.
    static func length(of text: Span<UInt8>) -> Int? { NumberText(text, at: 0)?.end }

    /// What `Double` makes of it, for those beyond 2^53.
    static func double(_ text: Span<UInt8>) -> Double? {
        var copy: [UInt8] = []
        for index in text.indices { copy.append(text[index]) }
        return Double(String(decoding: copy, as: UTF8.self))
    }
}

extension Span where Element == UInt8 {
    fileprivate var hasExponent: Bool {
        for index in indices where self[index] | 0x20 == UInt8(ascii: "e") { return true }
        return false
    }
}
