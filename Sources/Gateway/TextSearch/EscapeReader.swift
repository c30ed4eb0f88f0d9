/// Reads escapes in a text whose end may still be missing.
///
/// Text is often escaped more than once: JSON within a JSON string, a URL within a query. The nested readings take all levels of
/// one kind at once. Kinds may be mixed: JSON in a URL (`%5Cu0034`), HTML in JSON (`\u0026#52;`), JSON twice in a URL (`%5C%5Cu0034`).
struct EscapeReader {
    /// How a character can be written otherwise, by the sign with which that begins.
    enum Kind: CaseIterable {
        /// `\n`, `\/`, `\u0034` (RFC 8259 section 7), and `\'` and `\x34` of JavaScript and its relatives (ECMA-262 section 12.9.4).
        case json
        /// `%34` (RFC 3986 section 2.1).
        case percent
        /// `&#52;`, `&#x34;`, `&amp;` (HTML, section 13.5; the names of HTML 4). Browsers read `&#52` as well, up to what is no digit.
        case reference

        init?(sign: UInt8) {
            switch sign {
            case UInt8(ascii: "\\"): self = .json
            case UInt8(ascii: "%"): self = .percent
            case UInt8(ascii: "&"): self = .reference
            default: return nil
            }
        }

        var sign: UInt8 {
            switch self {
            case .json: UInt8(ascii: "\\")
            case .percent: UInt8(ascii: "%")
            case .reference: UInt8(ascii: "&")
            }
        }
    }

    /// Whether nothing follows the text: it is the whole, or its last piece.
    let isWhole: Bool
    /// Whether an escape could not be read because the text ends within it.
    private(set) var isUnfinished = false

    /// Levels of one kind of escape that are read.
    static let maximumLevels = 4
    /// Backslashes of a backslash and of the escape behind it, each escaped so often.
    private static let maximumBackslashes = 2 << maximumLevels
    /// Characters of the longest reference of HTML that is read, without its signs.
    private static let maximumReference = 11

    /// Escapes around each other that are still looked at: what is made to be slow ends so. Half of a surrogate pair, with every character
    /// escaped again, takes 14.
    private var attempts = 20

    init(isWhole: Bool) { self.isWhole = isWhole }

    /// What an escape stands for.
    ///
    /// - Parameters:
    ///   - position: behind its sign.
    ///   - layers: how often its characters may be escaped themselves, in any of the ways each time.
    mutating func escape(
        _ kind: Kind, _ text: Span<UInt8>, behind position: Int, layers: Int = 0
    ) -> WrittenCharacter? {
        switch kind {
        case .json: json(text, behind: position, backslashes: 1, layers: layers)
        case .percent: percent(text, behind: position, layers: layers)
        case .reference: reference(text, behind: position, layers: layers)
        }
    }

    /// The character at a place of the text, once up to `layers` escapes around each other are taken off.
    @inline(never)
    mutating func peeled(_ text: Span<UInt8>, at position: Int, layers: Int) -> WrittenCharacter? {
        guard let byte = byte(text, position) else { return nil }
        var character = WrittenCharacter(byte, end: position + 1)
        for layer in 0..<layers { guard peel(&character, text, layer: layer) else { break } }
        return character
    }

    /// Takes one more layer off a character that `layer` have been taken off. Returns false if no further one can be there: it is no sign, or
    /// begins no escape and no other sign follows, whose escape might go on with it.
    mutating func peel(_ character: inout WrittenCharacter, _ text: Span<UInt8>, layer: Int) -> Bool {
        guard let kind = character.ascii.flatMap(Kind.init(sign:)) else { return false }
        guard attempts > 0 else { return false }
        attempts -= 1
        if let inner = escape(kind, text, behind: character.end, layers: layer) {
            character = inner
            return true
        }
        return character.end < text.count && Kind(sign: text[character.end]) != nil
    }

    // MARK: Characters

    /// The byte there; nil behind the end, which is noted if more may come.
    private mutating func byte(_ text: Span<UInt8>, _ position: Int) -> UInt8? {
        if position < text.count { return text[position] }
        if !isWhole { isUnfinished = true }
        return nil
    }

    /// The byte there, or the character of ASCII that is written there by escapes.
    @inline(__always)
    private mutating func character(_ text: Span<UInt8>, _ position: Int, layers: Int) -> (byte: UInt8, end: Int)? {
        guard let byte = byte(text, position) else { return nil }
        guard layers > 0, Kind(sign: byte) != nil else { return (byte, position + 1) }
        return peeled(text, at: position, layers: layers).flatMap { found in found.ascii.map { ($0, found.end) } }
    }

    private mutating func hexadecimal(
        _ text: Span<UInt8>, _ position: Int, digits: Int, layers: Int
    ) -> (value: UInt32, end: Int)? {
        var (value, end) = (UInt32(0), position)
        for _ in 0..<digits {
            guard let character = character(text, end, layers: layers), let digit = character.byte.hexadecimalValue
            else {
                return nil
            }
            value = value << 4 | UInt32(digit)
            end = character.end
        }
        return (value, end)
    }

    // MARK: JSON

    /// A character behind so many backslashes, each escaped again. The first of them is at `position`.
    mutating func nestedJSON(_ text: Span<UInt8>, at position: Int, backslashes: Int) -> WrittenCharacter? {
        json(text, behind: position + backslashes, backslashes: backslashes, layers: 0)
    }

    /// How many backslashes begin at `position`; nil if they are too many, or more may come.
    mutating func backslashes(_ text: Span<UInt8>, at position: Int) -> Int? {
        var count = 1
        while byte(text, position + count) == UInt8(ascii: "\\") {
            count += 1
            guard count <= Self.maximumBackslashes else { return nil }
        }
        return isUnfinished ? nil : count
    }

    private mutating func json(
        _ text: Span<UInt8>, behind position: Int, backslashes: Int, layers: Int
    ) -> WrittenCharacter? {
        guard let (letter, end) = character(text, position, layers: layers) else { return nil }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
            return WrittenCharacter(letter, end: end)
        case UInt8(ascii: "b"): return WrittenCharacter(0x08, end: end)
        case UInt8(ascii: "f"): return WrittenCharacter(0x0C, end: end)
        case UInt8(ascii: "n"): return WrittenCharacter(0x0A, end: end)
        case UInt8(ascii: "r"): return WrittenCharacter(0x0D, end: end)
        case UInt8(ascii: "t"): return WrittenCharacter(0x09, end: end)
        case UInt8(ascii: "u"): return unicode(text, at: end, backslashes: backslashes, layers: layers)
        case UInt8(ascii: "x"):
            return hexadecimal(text, end, digits: 2, layers: layers).map {
                WrittenCharacter(scalar: $0.value, end: $0.end)
            }
        default: return nil
        }
    }

    /// Four hexadecimal digits at `position`; with the second half behind them if they are the first half of a surrogate pair.
    private mutating func unicode(
        _ text: Span<UInt8>, at position: Int, backslashes: Int, layers: Int
    ) -> WrittenCharacter? {
        guard let (high, first) = hexadecimal(text, position, digits: 4, layers: layers) else { return nil }
        guard 0xD800..<0xDC00 ~= high else { return WrittenCharacter(scalar: high, end: first) }
        var end = first
        for offset in 0...backslashes {
            let expected = offset < backslashes ? UInt8(ascii: "\\") : UInt8(ascii: "u")
            guard let character = character(text, end, layers: layers), character.byte == expected else { return nil }
            end = character.end
        }
        guard let (low, last) = hexadecimal(text, end, digits: 4, layers: layers), 0xDC00..<0xE000 ~= low else {
            return nil
        }
        return WrittenCharacter(scalar: 0x1_0000 + (high & 0x3FF) << 10 + (low & 0x3FF), end: last)
    }

    // MARK: URLs

    private mutating func percent(
        _ text: Span<UInt8>, behind position: Int, layers: Int
    ) -> WrittenCharacter? {
        hexadecimal(text, position, digits: 2, layers: layers).map {
            WrittenCharacter(UInt8(truncatingIfNeeded: $0.value), end: $0.end)
        }
    }

    /// A space or hyphen of several bytes, each as `%C2`. The first, with its sign, ends in front of `position`.
    mutating func percentSeparator(
        _ text: Span<UInt8>, _ first: UInt8, behind position: Int
    ) -> WrittenCharacter? {
        guard first == 0xC2 || first == 0xE2 || first == 0xE3 else { return nil }
        var (bytes, end) = ([first], position)
        while bytes.count < (first == 0xC2 ? 2 : 3) {
            guard byte(text, end) == UInt8(ascii: "%"),
                let (value, next) = hexadecimal(text, end + 1, digits: 2, layers: 0)
            else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: value))
            end = next
        }
        return wideSeparator(bytes.span, at: 0).map { WrittenCharacter($0, end: end) }
    }

    // MARK: HTML

    private mutating func reference(
        _ text: Span<UInt8>, behind position: Int, layers: Int
    ) -> WrittenCharacter? {
        var name = InlineArray<11, UInt8>(repeating: 0)
        var (count, end) = (0, position)
        while let character = character(text, end, layers: layers) {
            if character.byte == UInt8(ascii: ";") {
                return Self.scalar(named: name.span.extracting(0..<count)).map {
                    WrittenCharacter(scalar: $0, end: character.end)
                }
            }
            // Letters, digits and `#`; anything else ends what might have been one.
            guard character.byte == UInt8(ascii: "#") || character.byte.isASCIIAlphanumeric,
                count == 0 || name[0] != UInt8(ascii: "#")
                    || Self.isNumeric(character.byte, in: name.span.extracting(0..<count))
            else { break }
            guard count < Self.maximumReference else { return nil }
            name[count] = character.byte
            count += 1
            end = character.end
        }
        // Without its end only a number is looked for (browsers also read old names, such as `&uuml`, so), and more of it may be to come.
        guard !isUnfinished, count > 0, name[0] == UInt8(ascii: "#") else { return nil }
        return Self.scalar(named: name.span.extracting(0..<count)).map { WrittenCharacter(scalar: $0, end: end) }
    }

    /// Whether a byte goes on with a number that has begun with `#`.
    private static func isNumeric(_ byte: UInt8, in name: Span<UInt8>) -> Bool {
        if name.count == 1, byte | 0x20 == UInt8(ascii: "x") { return true }
        let isHexadecimal = name.count > 1 && name[1] | 0x20 == UInt8(ascii: "x")
        return byte.hexadecimalValue.map { isHexadecimal || $0 < 10 } ?? false
    }

    private static func scalar(named name: Span<UInt8>) -> UInt32? {
        guard name.count > 1 else { return nil }
        if name[0] != UInt8(ascii: "#") { return NamedCharacter.scalar(name) }
        let isHexadecimal = name[1] | 0x20 == UInt8(ascii: "x")
        var value: UInt32 = 0
        let first = isHexadecimal ? 2 : 1
        guard first < name.count else { return nil }
        for index in first..<name.count {
            guard let digit = name[index].hexadecimalValue, isHexadecimal || digit < 10 else { return nil }
            value = value * (isHexadecimal ? 16 : 10) + UInt32(digit)
            guard value <= 0x10_FFFF else { return nil }
        }
        return value
    }

    /// A space or hyphen of several bytes.
    mutating func wideSeparator(_ text: Span<UInt8>, at position: Int) -> WrittenCharacter? {
        let scalar: UInt32
        guard let first = byte(text, position), let second = byte(text, position + 1) else { return nil }
        if first == 0xC2 {
            scalar = UInt32(first & 0x1F) << 6 | UInt32(second & 0x3F)
        } else {
            guard let third = byte(text, position + 2) else { return nil }
            scalar = UInt32(first & 0x0F) << 12 | UInt32(second & 0x3F) << 6 | UInt32(third & 0x3F)
        }
        let character = WrittenCharacter(scalar: scalar, end: position + (first == 0xC2 ? 2 : 3))
        return character.isSeparator ? character : nil
    }
}
