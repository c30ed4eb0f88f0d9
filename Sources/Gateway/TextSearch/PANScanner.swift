import FormSchema
import JSON

/// Finds card numbers in bytes by their shape: a prefix of the catalogue, a length, a checksum (`docs/reference/proxy.md` section 10).
/// They may be grouped by single spaces or hyphens, and escaped as text can be.
///
/// A number that is part of something longer is none: of more digits, a word, a fraction, an identifier with hyphens, an IBAN. Of the
/// other 16-digit numbers one in fifty has the shape of a card number by chance.
enum PANScanner {
    struct Find {
        /// Where it stands.
        let range: Range<Int>
        /// In ASCII.
        let digits: [UInt8]
        /// Whether it is written with an exponent.
        var hasExponent = false
    }

    enum Outcome {
        /// There is none before this place; what is behind it has not been decided.
        case nothing(upTo: Int)
        case find(Find)
    }

    /// The first card number from `start` on.
    ///
    /// - Parameters:
    ///   - start: the bytes in front of it have been passed already; ``lookBehind`` of them are looked at.
    ///   - isWhole: whether the text ends where `text` ends.
    static func next(_ text: Span<UInt8>, from start: Int, isWhole: Bool) -> Outcome {
        var position = start
        while true {
            let digit = text.nextDigit(from: position)
            guard digit < text.count else {
                return .nothing(upTo: isWhole ? text.count : unfinishedEscape(text, from: start))
            }
            if let end = shortRunEnd(text, from: digit) {
                position = end
                continue
            }
            let escape = escape(over: digit, in: text, from: start, isWhole: isWhole)
            if let escape, escape.isUnfinished { return .nothing(upTo: escape.start) }
            var first = escape?.isDigit == true ? escape?.start ?? digit : digit
            // No number begins within a word, nor within digits that are escaped each.
            if first < digit, text.followsWord(first) { first = digit }
            var run = DigitRun(text, at: first, isWhole: isWhole)
            if let find = run.find(text) { return .find(find) }
            if !run.isUnfinished, first < digit {
                // What looks like an escape may be none: `100%3411…`.
                run = DigitRun(text, at: digit, isWhole: isWhole)
                if let find = run.find(text) { return .find(find) }
            }
            if run.isUnfinished { return .nothing(upTo: escape?.start ?? first) }
            if let escape, !escape.isDigit {
                // The digits behind `%20` stand on their own.
                position = escape.end
            } else {
                position = max(run.nextStart, digit + 1)
            }
        }
    }

    /// Bytes in front of a place that decide what begins there.
    static let lookBehind = DigitRunFront.lookBehind
    /// The longest escape that is looked for.
    private static let maximumEscape = 16

    /// The end of a run of digits that is nothing: too short, and nothing behind it by which digits are grouped or escaped.
    @inline(__always)
    private static func shortRunEnd(_ text: Span<UInt8>, from start: Int) -> Int? {
        var end = start + 1
        // No further than it takes to tell: each place within many digits comes here.
        let limit = min(text.count, start + CardNumberShape.lengths.lowerBound)
        while end < limit, text[end].isDigit { end += 1 }
        guard end < limit else { return nil }
        switch text[end] {
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "+"):
            // Followed by a digit, or by an escape of one.
            guard end + 1 < text.count else { return nil }
            let next = text[end + 1]
            if next == UInt8(ascii: "%") || next == UInt8(ascii: "\\") || next == UInt8(ascii: "&") { return nil }
            return next.isDigit && mayBeGrouped(text, first: start..<end) ? nil : end
        // An exponent may follow, unless the digits are a part of a word.
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            if start > 0, text[start - 1].isASCIIAlphanumeric { return end }
            var power = end + (text[end] == UInt8(ascii: ".") ? 1 : 0)
            while power < text.count, text[power].isDigit { power += 1 }
            return power == text.count || text[power] | 0x20 == UInt8(ascii: "e") ? nil : power
        case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: ";"), 0xC2, 0xE2, 0xE3: return nil
        default: return end
        }
    }

    /// Whether a card number may begin with these digits and go on in a second group: it is as long as the first one, or longer.
    private static func mayBeGrouped(_ text: Span<UInt8>, first: Range<Int>) -> Bool {
        // A digit in front may be escaped.
        if hasEscapeSign(text, before: first.lowerBound) { return true }
        guard first.count == 4 else { return false }
        var end = first.upperBound + 1
        while end < text.count, text[end].isDigit { end += 1 }
        guard end < text.count else { return true }
        return end - first.upperBound > 4 || isEscapeSign(text[end])
    }

    @inline(__always)
    private static func hasEscapeSign(_ text: Span<UInt8>, before end: Int) -> Bool {
        if end >= maximumEscape {
            // Sound although the load is named unsafe: any bytes are a vector of them, and they lie within the text.
            let bytes = text.bytes.unsafeLoadUnaligned(fromByteOffset: end - maximumEscape, as: SIMD16<UInt8>.self)
            let signs =
                bytes.isEqual(.all(UInt8(ascii: "%"))) | bytes.isEqual(.all(UInt8(ascii: "&")))
                | bytes.isEqual(.all(UInt8(ascii: "\\")))
            return unsafeBitCast(signs, to: UInt128.self) != 0
        }
        for index in 0..<end where isEscapeSign(text[index]) { return true }
        return false
    }

    @inline(__always)
    private static func isEscapeSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&")
    }

    private struct Escape {
        let start: Int
        let end: Int
        let isDigit: Bool
        /// Whether it depends on bytes that are still to come.
        var isUnfinished = false
    }

    /// The escape that the digit at `position` is part of, if it is: the one that is a digit itself, or else the longest.
    private static func escape(over position: Int, in text: Span<UInt8>, from start: Int, isWhole: Bool) -> Escape? {
        var longest: Escape?
        for first in max(start, position - maximumEscape)..<position {
            switch text[first] {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"):
                guard mayCover(position, from: first, in: text) else { continue }
                let readings = Readings(text, at: first, isWhole: isWhole)
                if readings.isUnfinished {
                    return Escape(start: first, end: text.count, isDigit: false, isUnfinished: true)
                }
                for index in 1..<readings.count {
                    let character = readings.characters[index]
                    guard character.end > position else { continue }
                    if character.digit != nil { return Escape(start: first, end: character.end, isDigit: true) }
                    guard (longest?.end ?? 0) < character.end else { continue }
                    longest = Escape(start: first, end: character.end, isDigit: false)
                }
            default: continue
            }
        }
        return longest
    }

    /// Whether the escape that may begin at `first` can hold the digit at `position`, by the bytes behind its sign. Nearly
    /// all escapes end before the digit.
    @inline(__always)
    private static func mayCover(_ position: Int, from first: Int, in text: Span<UInt8>) -> Bool {
        let next = text[first + 1]
        switch text[first] {
        // Two digits; those behind `25` once more.
        case UInt8(ascii: "%"): return position - first <= 2 || text[first + 3] != UInt8(ascii: "%")
        case UInt8(ascii: "\\"): return next == UInt8(ascii: "u") || next == UInt8(ascii: "\\")
        // `&#52;`, also behind `&amp;`.
        default: return next == UInt8(ascii: "#") || next == UInt8(ascii: "a")
        }
    }

    /// Where an escape begins at the end of the text that may become one of a digit; the end if none does.
    private static func unfinishedEscape(_ text: Span<UInt8>, from start: Int) -> Int {
        for first in max(start, text.count - maximumEscape)..<max(start, text.count) {
            switch text[first] {
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&"):
                if Readings(text, at: first, isWhole: false).isUnfinished { return first }
            default: continue
            }
        }
        return text.count
    }
}
