internal import JSON

/// A `formatPattern`: what each position of a field's text accepts or shows (`docs/reference/fields.md` section 3).
final class FormatPattern: Sendable {
    /// What a slot accepts.
    enum Symbol: Character, Sendable {
        case digit = "#"
        case letter = "@"
        case lowercase = "a"
        case uppercase = "A"
        case alphanumeric = "*"

        /// The ASCII characters that it accepts.
        var accepted: ASCIIClass {
            switch self {
            case .digit: .digit
            case .letter: .letter
            case .lowercase: .lowercase
            case .uppercase: .uppercase
            case .alphanumeric: .alphanumeric
            }
        }

        func accepts(_ character: Character) -> Bool {
            switch self {
            case .digit: character.isDigit
            case .letter: character.isLetter
            case .lowercase: character.isLowercaseLetter
            case .uppercase: character.isUppercaseLetter
            case .alphanumeric: character.isAlphanumeric
            }
        }
    }

    /// A position of a pattern that is all ASCII.
    struct Place: Sendable {
        /// What the slot accepts; empty for a literal.
        let accepted: ASCIIClass
        /// What is shown if it is a literal.
        let literal: UInt8
        let isSlot: Bool
        /// Whether it is part of the raw text: a slot, or a literal that is a letter or digit.
        let isRaw: Bool
    }

    /// The pattern as the form file gives it.
    let text: String
    /// By position: what a slot accepts, nil for a literal.
    let symbols: [Symbol?]
    /// By position: the character itself, which is shown if it is a literal.
    let literals: [Character]
    /// Which positions are slots.
    let isSlot: [Bool]
    let slotCount: Int
    /// By position; empty unless all of the pattern is ASCII.
    let places: [Place]
    /// The pattern filled with bullets, escaped for a JSON string.
    let hidden: [UInt8]
    /// How many bytes of it belong to the first 0, 1, … positions.
    let hiddenEnds: [Int]

    init(_ text: String) {
        self.text = text
        symbols = text.map(Symbol.init(rawValue:))
        literals = Array(text)
        isSlot = symbols.map { $0 != nil }
        slotCount = isSlot.count { $0 }
        let bytes = text.isPlainASCII ? Array(text.utf8) : []
        places = zip(symbols, bytes).map { symbol, byte in
            Place(
                accepted: symbol?.accepted ?? [], literal: byte, isSlot: symbol != nil,
                isRaw: symbol != nil || byte.isAlphanumeric)
        }
        var writer = JSONWriter(capacity: 64)
        hiddenEnds =
            [0]
            + places.map { place in
                if place.isSlot { writer.bullets(1) } else { writer.text(place.literal) }
                return writer.count
            }
        hidden = writer.bytes
    }

    /// Whether there is no pattern: text passes unchanged.
    var isEmpty: Bool { symbols.isEmpty }

    /// Whether it has literals that become part of a field's raw text, which is probably a mistake.
    var hasAlphanumericLiteral: Bool {
        zip(symbols, literals).contains { $0 == nil && $1.isAlphanumeric }
    }

    /// Puts `text` into the pattern, once. Text that is all ASCII is walked as bytes.
    func shape(_ text: String, into result: inout ShapingResult) {
        if isEmpty {
            result.takeUnshaped(text)
        } else if !places.isEmpty, text.isPlainASCII {
            let (filled, slotsFilled, dropped) = FilledPattern.fill(self, with: text)
            result.raw = filled.raw
            result.isMaskSatisfied = slotsFilled >= slotCount
            result.droppedInput = dropped
            result.shaped = ShapedText(filled)
        } else {
            walk(text, into: &result)
        }
    }

    /// Steps 1 to 3 of *format*: non-alphanumerics are skipped; a literal is emitted only while there is unread input.
    private func walk(_ text: String, into result: inout ShapingResult) {
        var emitted: [Character] = []
        var slotsFilled = 0
        var dropped = false
        for character in text {
            guard character.isAlphanumeric else {
                dropped = dropped || character.isLetterOrNumber
                continue
            }
            while emitted.count < symbols.count, symbols[emitted.count] == nil {
                emitted.append(literals[emitted.count])
            }
            if emitted.count < symbols.count, let symbol = symbols[emitted.count], symbol.accepts(character) {
                emitted.append(character)
                slotsFilled += 1
            } else {
                dropped = dropped || character.isLetterOrNumber
            }
        }
        result.raw = String(emitted.filter { $0.isAlphanumeric })
        result.isMaskSatisfied = slotsFilled >= slotCount
        result.droppedInput = dropped
        result.shaped = ShapedText(emitted, isSlot: isSlot)
    }
}
