import JSON

/// Decides by the bytes around a short match whether it is a value by itself, and not a part of a longer word, number, date or address.
struct Surroundings {
    let syntax: TextSyntax
    /// Whether the text begins with the first byte, and ends with the last.
    let hasStart: Bool
    let hasEnd: Bool

    /// Bytes in front of a value that are looked at.
    static let lookBehind = 17

    /// Whether the value counts between `start` and `end`; nil if that depends on bytes that are still to come.
    func admit(_ value: RevealedValue, _ text: Span<UInt8>, _ start: Int, _ end: Int, isInString: Bool) -> Bool? {
        switch value.reach {
        case .anywhere: true
        case .word: isWord(value.kind, text, start..<end, isInString: isInString)
        case .wholeText: textBegins(text, start, isInString: isInString) ? textEnds(text, end) : false
        }
    }

    // MARK: Words

    private func isWord(
        _ kind: RevealedValue.Kind, _ text: Span<UInt8>, _ range: Range<Int>, isInString: Bool
    ) -> Bool? {
        guard wordBegins(kind, text, range.lowerBound), !isLiteral(text, range, isInString: isInString) else {
            return false
        }
        switch kind == .digits ? DateShape.holds(text, range, isWhole: hasEnd) : false {
        case true?: return false
        case false?: return wordEnds(kind, text, range.upperBound)
        case nil: return nil
        }
    }

    private func wordBegins(_ kind: RevealedValue.Kind, _ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start > 0 else { return true }
        let before = text[start - 1]
        if Span.isWord(before) { return text.endsWithEscapeOfOther(start) }
        guard start > 1 else { return true }
        let beyond = text[start - 2]
        switch before {
        case UInt8(ascii: "-"): return kind == .phrase || !Span.isWord(beyond)
        case UInt8(ascii: "."): return kind != .digits || !beyond.isDigit
        case UInt8(ascii: ":"): return kind != .digits || !followsAddress(text, start - 1)
        default: return true
        }
    }

    /// Whether a port follows an address: `10.0.0.1:443`.
    private func followsAddress(_ text: Span<UInt8>, _ colon: Int) -> Bool {
        var end = colon
        for part in 0..<4 {
            var first = end
            while first > 0, end - first < 4, text[first - 1].isDigit { first -= 1 }
            guard 1...3 ~= end - first else { return false }
            if part == 3 { return true }
            guard first > 0, text[first - 1] == UInt8(ascii: ".") else { return false }
            end = first - 1
        }
        return false
    }

    private func wordEnds(_ kind: RevealedValue.Kind, _ text: Span<UInt8>, _ end: Int) -> Bool? {
        guard end < text.count else { return hasEnd ? true : nil }
        let after = text[end]
        if Span.isWord(after) { return false }
        let mayGoOn =
            after == UInt8(ascii: "-") && kind != .phrase || after == UInt8(ascii: ".") && kind == .digits
        guard mayGoOn else { return true }
        guard end + 1 < text.count else { return hasEnd ? true : nil }
        return after == UInt8(ascii: "-") ? !Span.isWord(text[end + 1]) : !text[end + 1].isDigit
    }

    /// Whether it is what JSON writes for no value, or for a yes or no.
    private func isLiteral(_ text: Span<UInt8>, _ range: Range<Int>, isInString: Bool) -> Bool {
        guard syntax == .json, !isInString else { return false }
        return ["null", "true", "false"].contains { (literal: StaticString) in text.extracting(range).isASCII(literal) }
    }

    // MARK: Whole texts

    private func textBegins(_ text: Span<UInt8>, _ start: Int, isInString: Bool) -> Bool {
        guard start > 0 else { return hasStart && syntax != .json }
        let before = text[start - 1]
        switch syntax {
        case .json:
            return isInString && before == UInt8(ascii: "\"") && (start < 2 || text[start - 2] != UInt8(ascii: "\\"))
        case .form: return before == UInt8(ascii: "=") || before == UInt8(ascii: "&")
        case .markup: return contentBegins(text, start)
        case .header: return false
        case .plain: return before == UInt8(ascii: "\n")
        }
    }

    private func textEnds(_ text: Span<UInt8>, _ end: Int) -> Bool? {
        guard end < text.count else { return hasEnd ? syntax != .json : nil }
        let after = text[end]
        switch syntax {
        case .json: return after == UInt8(ascii: "\"")
        case .form: return after == UInt8(ascii: "=") || after == UInt8(ascii: "&")
        case .markup: return contentEnds(text, end)
        case .header: return false
        case .plain: return after == UInt8(ascii: "\n") || after == UInt8(ascii: "\r")
        }
    }

    // MARK: Elements and attributes

    /// Blanks that are passed over on each side.
    private static let maximumBlanks = 16

    /// Whether it stands behind a tag, a quotation mark or the beginning of a `CDATA` section, or begins a line.
    private func contentBegins(_ text: Span<UInt8>, _ start: Int) -> Bool {
        var position = start
        while position > 0, start - position < Self.maximumBlanks {
            switch text[position - 1] {
            case UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "["), UInt8(ascii: "\n"):
                return true
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position -= 1
            default: return false
            }
        }
        return position == 0 && hasStart
    }

    /// Whether a tag, a quotation mark or the end of a `CDATA` section follows, or the line ends; nil if later bytes decide.
    private func contentEnds(_ text: Span<UInt8>, _ end: Int) -> Bool? {
        var position = end
        while position < text.count, position - end < Self.maximumBlanks {
            switch text[position] {
            case UInt8(ascii: "<"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                return true
            case UInt8(ascii: " "), UInt8(ascii: "\t"): position += 1
            case UInt8(ascii: "]"):
                guard position + 2 < text.count else { return hasEnd ? false : nil }
                return text[position + 1] == UInt8(ascii: "]") && text[position + 2] == UInt8(ascii: ">")
            default: return false
            }
        }
        guard position == text.count else { return false }
        return hasEnd ? true : nil
    }
}

extension Span where Element == UInt8 {
    /// Whether these are the bytes of a literal.
    fileprivate func isASCII(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        for index in indices where self[index] != literal.utf8Start[index] { return false }
        return true
    }
}
