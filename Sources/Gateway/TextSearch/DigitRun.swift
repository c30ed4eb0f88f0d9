import FormSchema
import JSON

/// The groups of digits that begin at one place.
struct DigitRun {
    private struct Group {
        /// Of its digits among all.
        var first = 0
        var count = 0
        var end = 0
        /// What stands in front of it, in ASCII: a space or a hyphen.
        var separator: UInt8 = 0
    }

    /// Digits that are read: one more than the longest card number has is enough to tell that it is none.
    private static let maximumDigits = 20

    private let start: Int
    private let isWhole: Bool
    /// In ASCII. Digits and groups lie in the value itself: there are many runs in a text, and hardly one is a card number.
    private var digits = InlineArray<20, UInt8>(repeating: 0)
    private var digitCount = 0
    /// As many as the longest number has that is grouped by fours.
    private var groups = InlineArray<5, Group>(repeating: Group())
    private var groupCount = 0
    /// Whether bytes that are still to come may change what is found.
    private(set) var isUnfinished = false
    /// Where the search goes on if this is no card number.
    private(set) var nextStart: Int
    /// The first digit, other than the one at the start, that is written as an escape.
    private var firstEscape: Int?

    init(_ text: Span<UInt8>, at start: Int, isWhole: Bool) {
        self.start = start
        self.isWhole = isWhole
        nextStart = start
        read(text)
    }

    private mutating func read(_ text: Span<UInt8>) {
        var position = start
        var separator: UInt8 = 0
        while groupCount < groups.count {
            var group = Group(first: digitCount, count: 0, end: position, separator: separator)
            readDigits(text, into: &group)
            if isUnfinished { return }
            // A separator that no digit follows.
            guard group.count > 0 else { return }
            groups[groupCount] = group
            groupCount += 1
            // The next group is looked at by itself; so are digits behind what may have been no escape.
            if groupCount == 1 { nextStart = min(group.end, firstEscape ?? group.end) }
            guard digitCount < Self.maximumDigits else { return }
            guard group.end < text.count else {
                if !isWhole { isUnfinished = true }
                return
            }
            guard let character = readSeparator(text, at: group.end) else { return }
            separator = character.ascii == UInt8(ascii: "-") ? UInt8(ascii: "-") : UInt8(ascii: " ")
            position = character.end
        }
    }

    @inline(__always)
    private mutating func readDigits(_ text: Span<UInt8>, into group: inout Group) {
        while digitCount < Self.maximumDigits {
            guard group.end < text.count else {
                if !isWhole { isUnfinished = true }
                return
            }
            let byte = text[group.end]
            if byte.isDigit {
                append(byte, end: group.end + 1, to: &group)
                continue
            }
            if let digit = Self.plainEscape(text, at: group.end) {
                if firstEscape == nil, group.end > start { firstEscape = group.end }
                append(digit.byte, end: digit.end, to: &group)
                continue
            }
            guard byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&"),
                let character = reading(text, at: group.end, { $0.digit != nil })
            else { return }
            if firstEscape == nil, group.end > start { firstEscape = group.end }
            append(character.digit ?? 0, end: character.end, to: &group)
        }
    }

    /// A digit as `%34`, `\u0034` or `&#52;`, which is what ``Readings`` finds, too, but takes ten times as long for.
    @inline(__always)
    private static func plainEscape(_ text: Span<UInt8>, at position: Int) -> (byte: UInt8, end: Int)? {
        switch text[position] {
        case UInt8(ascii: "%"):
            guard position + 2 < text.count else { return nil }
            return hexadecimalDigit(text, at: position + 1)
        case UInt8(ascii: "\\"):
            guard position + 5 < text.count, text[position + 1] == UInt8(ascii: "u"),
                text[position + 2] == UInt8(ascii: "0"), text[position + 3] == UInt8(ascii: "0")
            else { return nil }
            return hexadecimalDigit(text, at: position + 4)
        case UInt8(ascii: "&"):
            guard position + 4 < text.count, text[position + 1] == UInt8(ascii: "#"),
                text[position + 4] == UInt8(ascii: ";"), text[position + 2].isDigit,
                text[position + 3].isDigit
            else { return nil }
            let digit = (text[position + 2] &- 0x30) &* 10 &+ (text[position + 3] &- 0x30)
            return digit.isDigit ? (digit, position + 5) : nil
        default: return nil
        }
    }

    /// `34`
    @inline(__always)
    private static func hexadecimalDigit(_ text: Span<UInt8>, at position: Int) -> (byte: UInt8, end: Int)? {
        guard text[position] == UInt8(ascii: "3"), text[position + 1].isDigit else { return nil }
        return (text[position + 1], position + 2)
    }

    @inline(__always)
    private mutating func append(_ digit: UInt8, end: Int, to group: inout Group) {
        digits[digitCount] = digit
        digitCount += 1
        group.count += 1
        group.end = end
    }

    @inline(__always)
    private mutating func readSeparator(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        switch text[position] {
        case UInt8(ascii: " "), UInt8(ascii: "-"): WrittenCharacter(text[position], end: position + 1)
        case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: "+"), 0xC2, 0xE2, 0xE3:
            reading(text, at: position, { $0.isSeparator })
        default: nil
        }
    }

    /// The first reading of the bytes at `position` that `isWanted` accepts.
    private mutating func reading(
        _ text: Span<UInt8>, at position: Int, _ isWanted: (WrittenCharacter) -> Bool
    ) -> WrittenCharacter? {
        let readings = Readings(text, at: position, isWhole: isWhole)
        for index in 0..<readings.count where isWanted(readings.characters[index]) { return readings.characters[index] }
        if readings.isUnfinished { isUnfinished = true }
        return nil
    }

    // MARK: Finding

    /// The longest card number that begins with the first group.
    mutating func find(_ text: Span<UInt8>) -> PANScanner.Find? {
        guard !isUnfinished, groupCount > 0 else { return nil }
        if let number = exponentNumber(text, groups[0]) { return number }
        guard !isUnfinished, digitCount >= CardNumberShape.lengths.lowerBound else { return nil }
        var longest: PANScanner.Find?
        for count in 1...groupCount where hasShape(ofFirst: count) {
            let last = groups[count - 1]
            let length = last.first + last.count
            guard CardNumberShape.lengths.contains(length),
                CardNumberShape.matches(digits.span.extracting(0..<length)),
                !DigitRunFront.isJoined(text, start, digits: length)
            else { continue }
            guard isWhole || last.end + 6 <= text.count, let ends = ends(text, at: last.end) else {
                isUnfinished = true
                return nil
            }
            guard ends, count == 1 || !isInTable(text, until: last.end) else { continue }
            longest = PANScanner.Find(range: start..<last.end, digits: (0..<length).map { digits[$0] })
        }
        return longest
    }

    /// One group; or groups of four with a shorter last one; or as cards with 14, 15 and 19 digits show them (4-6-4, 4-6-5, 4-6-9).
    private func hasShape(ofFirst count: Int) -> Bool {
        guard count > 1 else { return true }
        var areFours = true
        for index in 0..<count {
            if index > 1, groups[index].separator != groups[1].separator { return false }
            if index < count - 1, groups[index].count != 4 { areFours = false }
        }
        if areFours { return groups[count - 1].count <= 4 }
        return count == 3 && groups[0].count == 4 && groups[1].count == 6
    }

    /// Whether groups of four go on before and behind, as in a table of numbers.
    private func isInTable(_ text: Span<UInt8>, until end: Int) -> Bool {
        guard end + 5 <= text.count, text[end] == UInt8(ascii: " ") || text[end] == UInt8(ascii: "-") else {
            return false
        }
        if end + 5 < text.count, Span.isWord(text[end + 5]) { return false }
        return DigitRunFront.isGroup(text, end + 1) && DigitRunFront.isBehindGroup(text, start)
    }

    /// Whether no more digits of the same number follow `end`; nil if later bytes decide.
    private func ends(_ text: Span<UInt8>, at end: Int) -> Bool? {
        guard end < text.count else { return isWhole ? true : nil }
        let after = text[end]
        if Span.isWord(after) { return false }
        guard after == UInt8(ascii: ".") else { return true }
        // A fraction of zeros does not make it another number: `4111111111111111.0`. More zeros than a number may have are not
        // waited for.
        var position = end + 1
        while position < text.count, text[position] == UInt8(ascii: "0") {
            position += 1
            if position - end > NumberText.maximumLength { return true }
        }
        guard position < text.count else { return isWhole ? true : nil }
        return !text[position].isDigit
    }

    /// `4.111111111111111e15`, `4111111111111111e0`. A fraction alone, behind as many digits as a card number has, is none of it: those
    /// digits are looked at by themselves.
    private mutating func exponentNumber(_ text: Span<UInt8>, _ group: Group) -> PANScanner.Find? {
        guard group.end < text.count else { return nil }
        guard text[group.end] == UInt8(ascii: ".") || text[group.end] | 0x20 == UInt8(ascii: "e") else { return nil }
        if !isWhole, NumberText.mayReachEnd(of: text, from: start) {
            isUnfinished = text.count - start <= NumberText.maximumLength
            return nil
        }
        guard let end = NumberText.end(of: text, at: start), end > group.end,
            group.count < CardNumberShape.lengths.lowerBound || text.holdsPower(group.end..<end),
            let digits = NumberText(text.extracting(start..<end))?.wholeDigits(
                atMost: CardNumberShape.lengths.upperBound),
            CardNumberShape.matches(digits.span), !DigitRunFront.isJoined(text, start, digits: digits.count),
            end == text.count || !Span.isWord(text[end])
        else { return nil }
        return PANScanner.Find(range: start..<end, digits: digits, hasExponent: true)
    }
}

extension Span where Element == UInt8 {
    /// Whether there is the `e` of a power of ten.
    fileprivate func holdsPower(_ range: Range<Int>) -> Bool {
        for index in range where self[index] | 0x20 == UInt8(ascii: "e") { return true }
        return false
    }
}
