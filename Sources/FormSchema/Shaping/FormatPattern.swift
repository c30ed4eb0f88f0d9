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

    /// The pattern as it is written.
    let text: String
    /// By position: what a slot accepts, nil for a literal.
    let symbols: [Symbol?]
    /// By position: the character itself, which is shown if it is a literal.
    let literals: [Character]
    /// Likewise, where all of them are ASCII.
    let literalBytes: [UInt8]
    /// Which positions are slots.
    let isSlot: [Bool]
    let slotCount: Int
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text
        symbols = text.map(Symbol.init(rawValue:))
        literals = Array(text)
        literalBytes = Array(text.utf8)
        isSlot = symbols.map { $0 != nil }
        slotCount = isSlot.count { $0 }
        isASCII = text.isPlainASCII
    }

    /// Whether there is no pattern: text passes unchanged.
    var isEmpty: Bool { symbols.isEmpty }

    /// Literals that a field's raw text will contain; probably not meant.
    var hasAlphanumericLiteral: Bool {
        zip(symbols, literals).contains { $0 == nil && $1.isAlphanumeric }
    }

    /// Puts `text` into the pattern, once. Text that is all ASCII is walked as bytes.
    func shape(_ text: String, divider: String, into result: inout FieldResult) {
        if isEmpty {
            result.takeUnshaped(text)
        } else if isASCII, text.isPlainASCII {
            walk(text.utf8Span.span, of: text, divider: divider, into: &result)
        } else {
            walk(Array(text).span, of: text, divider: divider, into: &result)
        }
    }

    /// Steps 1 to 3 of *format*: non-alphanumerics are not seen at all; a literal is emitted only while input is unread.
    private func walk<Unit: TextUnit>(
        _ units: Span<Unit>, of text: String, divider: String, into result: inout FieldResult
    ) {
        var emitted: [Unit] = []
        emitted.reserveCapacity(symbols.count)
        var slotsFilled = 0
        var dropped = false
        for index in units.indices {
            let unit = units[index]
            guard unit.isAlphanumeric else {
                dropped = dropped || unit.isLetterOrNumber
                continue
            }
            while emitted.count < symbols.count, symbols[emitted.count] == nil {
                emitted.append(.literal(of: self, at: emitted.count))
            }
            if emitted.count < symbols.count, let symbol = symbols[emitted.count], symbol.accepts(unit) {
                emitted.append(unit)
                slotsFilled += 1
            } else {
                dropped = dropped || unit.isLetterOrNumber
            }
        }
        let onlySlots = slotsFilled == emitted.count
        if onlySlots, emitted.count == units.count {
            result.raw = text
        } else {
            result.raw = Unit.joined(onlySlots ? emitted : emitted.filter { $0.isAlphanumeric })
        }
        result.withDivider = divider.isEmpty || onlySlots ? result.raw : withDivider(divider, emitted)
        result.isMaskSatisfied = slotsFilled >= slotCount
        result.droppedInput = dropped
        result.shaped = ShapedText(emitted, isSlot: isSlot)
    }

    /// The emitted text with `divider` at each literal's position.
    private func withDivider(_ divider: String, _ emitted: [some TextUnit]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(emitted.count + 8)
        for index in emitted.indices {
            if isSlot[index] { emitted[index].append(to: &text) } else { text.append(contentsOf: divider.utf8) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
