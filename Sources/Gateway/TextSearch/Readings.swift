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
