/// One character as text may hold it: as its own bytes, or escaped as JSON strings (RFC 8259 section 7), URLs and forms (RFC 3986
/// section 2.1), or HTML do.
struct WrittenCharacter {
    /// Its UTF-8, the first byte lowest.
    private(set) var bytes: UInt32 = 0
    private(set) var count = 0
    /// Where the next character begins.
    let end: Int

    init(_ byte: UInt8, end: Int) {
        bytes = UInt32(byte)
        count = 1
        self.end = end
    }

    /// Half of a surrogate pair is written as three bytes, which no text holds.
    init(scalar: UInt32, end: Int) {
        self.end = end
        switch scalar {
        case ..<0x80: append(scalar)
        case ..<0x800:
            append(0xC0 | scalar >> 6)
            append(0x80 | scalar & 0x3F)
        case ..<0x1_0000:
            append(0xE0 | scalar >> 12)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        default:
            append(0xF0 | scalar >> 18 & 7)
            append(0x80 | scalar >> 12 & 0x3F)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        }
    }

    /// The same character, which ends elsewhere.
    init(_ other: WrittenCharacter, end: Int) {
        (bytes, count) = (other.bytes, other.count)
        self.end = end
    }

    private mutating func append(_ byte: UInt32) {
        bytes |= byte << UInt32(8 * count)
        count += 1
    }

    /// Its first byte.
    var first: UInt8 { UInt8(truncatingIfNeeded: bytes) }

    /// The character, if it is ASCII.
    var ascii: UInt8? { count == 1 && bytes < 0x80 ? UInt8(truncatingIfNeeded: bytes) : nil }

    /// The digit that it is, in ASCII.
    var digit: UInt8? { ascii.flatMap { $0 &- 0x30 < 10 ? $0 : nil } }

    /// Whether digits are grouped by it: a space or a hyphen, breaking or not, of any width.
    var isSeparator: Bool {
        switch bytes {
        case 0x20, 0x2D, 0xA0C2: true
        // U+2010 to U+2013, U+202F, U+205F, U+3000.
        case 0x9080E2, 0x9180E2, 0x9280E2, 0x9380E2, 0xAF80E2, 0x9F81E2, 0x8080E3: true
        // U+2000 to U+200A.
        default: bytes & 0xFFFF == 0x80E2 && 0x80...0x8A ~= bytes >> 16
        }
    }
}

/// The ways in which the bytes at one place can be read as a character.
struct Readings {
    private(set) var characters: InlineArray<8, WrittenCharacter>
    private(set) var count = 1
    /// Whether bytes that are still to come may make an escape of these.
    private(set) var isUnfinished = false

    /// - Parameters:
    ///   - position: within the text.
    ///   - isWhole: whether nothing follows the text.
    @inline(__always)
    init(_ text: Span<UInt8>, at position: Int, isWhole: Bool) {
        let byte = text[position]
        characters = InlineArray(repeating: WrittenCharacter(byte, end: position + 1))
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "+"), 0xC2, 0xE2, 0xE3:
            readMore(text, at: position, byte, isWhole: isWhole)
        default: break
        }
    }

    @inline(never)
    private mutating func readMore(_ text: Span<UInt8>, at position: Int, _ byte: UInt8, isWhole: Bool) {
        var escapes = EscapeReader(isWhole: isWhole)
        if let kind = EscapeReader.Kind(sign: byte) {
            readEscapes(kind, text, at: position, &escapes)
            if !isRun(text, at: position) { readLayers(text, &escapes) }
        } else if byte == UInt8(ascii: "+") {
            add(WrittenCharacter(0x20, end: position + 1))
        } else {
            add(escapes.wideSeparator(text, at: position))
        }
        isUnfinished = escapes.isUnfinished
    }

    /// Escapes of one kind. A sign that was escaped itself may begin the next: `%2534` is `%34` escaped once, and a 4 escaped twice.
    private mutating func readEscapes(
        _ kind: EscapeReader.Kind, _ text: Span<UInt8>, at position: Int, _ escapes: inout EscapeReader
    ) {
        if kind == .json {
            add(escapes.escape(kind, text, behind: position + 1))
            guard let count = escapes.backslashes(text, at: position), count > 1 else { return }
            add(escapes.nestedJSON(text, at: position, backslashes: count))
            // Each level doubles a backslash; one level is what `escape` has read.
            for levels in 2...EscapeReader.maximumLevels where count >= 1 << levels {
                add(WrittenCharacter(kind.sign, end: position + (1 << levels)))
            }
            return
        }
        var end = position + 1
        for _ in 0..<EscapeReader.maximumLevels {
            guard let character = escapes.escape(kind, text, behind: end) else { return }
            add(character)
            end = character.end
            if kind == .percent { add(escapes.percentSeparator(text, character.first, behind: end)) }
            guard character.ascii == kind.sign else { return }
        }
    }

    /// Escapes within escapes, of any kinds: JSON in a URL (`%5Cn`), HTML in JSON (`\u0026#39;`), JSON twice in a URL (`%5C%5Cu0034`); by
    /// those who escape every character (`%25%33%34`), or all but the sign (`\&quot;`).
    private mutating func readLayers(_ text: Span<UInt8>, _ escapes: inout EscapeReader) {
        var character = characters[0]
        for layer in 0..<EscapeReader.maximumLevels {
            guard escapes.peel(&character, text, layer: layer) else { break }
            if !isKnown(character) { add(character) }
        }
        // A form in JSON, HTML or a URL: `Ann\u002bLi`, `Ann&#43;Li`, `Ann%2BLi`.
        for index in 1..<count where characters[index].ascii == UInt8(ascii: "+") {
            add(WrittenCharacter(0x20, end: characters[index].end))
        }
    }

    /// Whether so many backslashes follow each other that they are JSON in JSON: they have been read.
    private func isRun(_ text: Span<UInt8>, at position: Int) -> Bool {
        let length = 8
        guard position + length <= text.count else { return false }
        for index in position..<position + length where text[index] != UInt8(ascii: "\\") { return false }
        return true
    }

    private func isKnown(_ character: WrittenCharacter) -> Bool {
        for index in 0..<count
        where characters[index].end == character.end && characters[index].bytes == character.bytes { return true }
        return false
    }

    private mutating func add(_ character: WrittenCharacter?) {
        guard let character, count < characters.count else { return }
        characters[count] = character
        count += 1
    }
}

extension Span where Element == UInt8 {
    /// Whether a byte is part of a word: a letter, a digit or an underscore.
    static func isWord(_ byte: UInt8) -> Bool { byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") }

    /// Whether a letter, a digit or an underscore stands in front of `position`, as itself or written as an escape.
    func followsWord(_ position: Int) -> Bool {
        position > 0 && Self.isWord(self[position - 1]) && !endsWithEscapeOfOther(position)
    }

    /// Bytes of an escape that is looked for behind a place: `%2525253D`, and JSON in a URL.
    private static var longestEscape: Int { 16 }

    /// Whether the letter or digit in front of `end` ends an escape of something else: `\n`, `%20`, `\u0020`, `%5Cn`, `%5Cu0020`.
    func endsWithEscapeOfOther(_ end: Int) -> Bool {
        for length in 2...Self.longestEscape where length <= end {
            let first = end - length
            guard self[first] == UInt8(ascii: "\\") || self[first] == UInt8(ascii: "%") else { continue }
            let readings = Readings(self, at: first, isWhole: true)
            for index in 1..<readings.count where readings.characters[index].end == end {
                if !(readings.characters[index].ascii.map(Self.isWord) ?? false) { return true }
            }
        }
        return false
    }
}
