/// A `formatPattern`: what each position of a field's text accepts or shows (`fields.md` section 3).
final class FormatPattern: Sendable {
    /// What a slot accepts.
    enum Symbol: Character, Sendable {
        case digit = "#"
        case letter = "@"
        case lowercase = "a"
        case uppercase = "A"
        case alphanumeric = "*"

        @inline(__always)
        func accepts(_ unit: some TextUnit) -> Bool {
            switch self {
            case .digit: unit.isDigit
            case .letter: unit.isLetter
            case .lowercase: unit.isLowercaseLetter
            case .uppercase: unit.isUppercaseLetter
            case .alphanumeric: unit.isAlphanumeric
            }
        }
    }

    enum Position: Sendable {
        case slot(Symbol)
        case literal(Literal)
    }

    /// The pattern as it is written.
    let text: String
    let positions: [Position]
    /// Which positions are slots.
    let isSlot: [Bool]
    let slotCount: Int
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        positions = text.map { character in
            Symbol(rawValue: character).map(Position.slot) ?? .literal(Literal(character))
        }
        isSlot = positions.map { if case .slot = $0 { true } else { false } }
        slotCount = isSlot.count { $0 }
        isASCII = text.isPlainASCII
    }

    /// Whether there is no pattern: text passes unchanged.
    var isEmpty: Bool { positions.isEmpty }

    /// Literals that a field's raw text will contain; probably not meant.
    var hasAlphanumericLiteral: Bool {
        positions.contains {
            if case .literal(let literal) = $0 { literal.character.isAlphanumeric } else { false }
        }
    }

    /// Puts `text` into the pattern, once. Text that is all ASCII is walked as bytes.
    func shape(_ text: String, divider: String) -> ShapedText {
        if isEmpty { return ShapedText(unshaped: text) }
        if isASCII, text.isPlainASCII { return walk(text.utf8).shaped(by: self, divider: divider) }
        return walk(text).shaped(by: self, divider: divider)
    }

    /// Steps 1 to 3 of *format*: non-alphanumerics are not seen at all; a literal is emitted only while input is unread.
    private func walk<Units: Collection>(_ units: Units) -> Walk<Units.Element> where Units.Element: TextUnit {
        var walk = Walk<Units.Element>()
        walk.emitted.reserveCapacity(positions.count)
        for unit in units {
            guard unit.isAlphanumeric else {
                walk.dropped = walk.dropped || unit.isLetterOrNumber
                continue
            }
            while walk.emitted.count < positions.count, case .literal(let literal) = positions[walk.emitted.count] {
                walk.emitted.append(.literal(literal))
            }
            if walk.emitted.count < positions.count, case .slot(let symbol) = positions[walk.emitted.count],
                symbol.accepts(unit)
            {
                walk.emitted.append(unit)
                walk.slotsFilled += 1
            } else {
                walk.dropped = walk.dropped || unit.isLetterOrNumber
            }
        }
        return walk
    }
}

/// What a walk through a pattern emitted: one unit a position, from the first on.
private struct Walk<Unit: TextUnit> {
    var emitted: [Unit] = []
    var slotsFilled = 0
    var dropped = false

    func shaped(by pattern: FormatPattern, divider: String) -> ShapedText {
        let formatted = Unit.joined(emitted)
        let onlySlots = slotsFilled == emitted.count
        let hasDivider = !divider.isEmpty && !onlySlots
        return ShapedText(
            formatted: formatted, raw: onlySlots ? formatted : Unit.joined(emitted.filter { $0.isAlphanumeric }),
            withDivider: hasDivider ? withDivider(divider, pattern) : nil, slotsFilled: slotsFilled, dropped: dropped,
            redaction: Redaction(emitted, isSlot: pattern.isSlot))
    }

    private func withDivider(_ divider: String, _ pattern: FormatPattern) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(emitted.count + 8)
        for index in emitted.indices {
            if pattern.isSlot[index] { emitted[index].append(to: &text) } else { text.append(contentsOf: divider.utf8) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
