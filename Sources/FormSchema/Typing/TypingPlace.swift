/// A position of the pattern or mask of a field in which text is typed.
enum TypingPlace {
    case literal(Character)
    case symbol(FormatPattern.Symbol)
    case slot(Mask.Slot)

    var literal: Character? {
        if case .literal(let literal) = self { literal } else { nil }
    }

    /// What is shown and what is submitted if the place takes the character.
    func take(_ character: Character) -> (shown: Character, typed: Character)? {
        switch self {
        case .literal: return nil
        case .symbol(let symbol): return symbol.accepts(character) ? (character, character) : nil
        case .slot(let slot):
            if let shown = slot.take(character, takesUnknown: true) { return (shown, character) }
            guard slot.changesCase != nil else { return nil }
            // A character that was shown in another case than it was typed in.
            for text in [character.lowercased(), character.uppercased()] where text.count == 1 {
                if let typed = text.first, slot.take(typed, takesUnknown: true) == character {
                    return (character, typed)
                }
            }
            return nil
        }
    }
}

extension FormSchema {
    /// The places of a field; none if its text is not shaped.
    /// - Parameters:
    ///   - text: of the field. The pattern of a card number follows its brand.
    ///   - cardNumber: the text of the card number that a CVC is coupled to.
    func typingPlaces(of field: Field, text: String, cardNumber: String) -> [TypingPlace] {
        switch field.shape {
        case .unchanged: []
        case .mask(let mask):
            mask.entries.map { entry in
                switch entry {
                case .literal(let literal): .literal(literal)
                case .slot(let slot): .slot(slot)
                }
            }
        case .pattern: Self.places(of: field.pattern)
        case .brand: Self.places(of: cardBrands.brand(ofNumber: text).pattern)
        case .brandCVC:
            Self.places(
                of: field.cvcPattern(for: field.coupledCard.map { _ in cardBrands.brand(ofNumber: cardNumber) }))
        }
    }

    private static func places(of pattern: FormatPattern) -> [TypingPlace] {
        zip(pattern.symbols, pattern.literals).map { symbol, literal in symbol.map { .symbol($0) } ?? .literal(literal)
        }
    }
}
