public import JSON

/// What a field shows while text is typed into it (`docs/reference/browser.md` section 4).
///
/// Unlike `format` (`docs/reference/fields.md` section 3), which shapes a submitted text once, this reads text that was shaped
/// before: literals that stand where the pattern has them are recognised and are not input.
struct TypedText {
    /// The text to show.
    private(set) var text = ""
    /// The characters in the slots, as they were typed: what to submit.
    private(set) var value = ""
    /// Where the caret belongs, in UTF-16 code units of `text`.
    private(set) var caret = 0
    /// The letters and digits that fit no slot.
    private(set) var refused = ""
    /// The literals that stand between the text and the next slot.
    private(set) var next = ""
    /// Whether every slot is filled.
    private(set) var isFull = false

    /// A position of a pattern or mask.
    private enum Place {
        case literal(Character)
        case symbol(FormatPattern.Symbol)
        case slot(Mask.Slot)

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

    /// - Parameters:
    ///   - caret: in UTF-16 code units of `input`.
    ///   - places: empty if text is not shaped.
    private init(_ input: String, caret: Int, places: [Place]) {
        guard !places.isEmpty else {
            (text, value, isFull) = (input, input, true)
            self.caret = min(max(caret, 0), input.utf16.count)
            return
        }
        var position = 0
        var read = 0
        var slotsFilled = 0
        for character in input {
            let isBeforeCaret = read < caret
            read += character.utf16.count
            // Literals are shown once a character follows them that belongs to a later slot.
            var ahead = position
            while ahead < places.count, case .literal(let literal) = places[ahead], literal != character { ahead += 1 }
            if ahead < places.count, case .literal = places[ahead] {
                show(places[position...ahead])
                position = ahead + 1
            } else if ahead < places.count, let (shown, typed) = places[ahead].take(character) {
                show(places[position..<ahead])
                text.append(shown)
                value.append(typed)
                position = ahead + 1
                slotsFilled += 1
            } else {
                if character.isLetterOrNumber { refused.append(character) }
                continue
            }
            if isBeforeCaret { self.caret = text.utf16.count }
        }
        for place in places[position...] {
            guard case .literal(let literal) = place else { break }
            next.append(literal)
        }
        if read <= caret { self.caret = text.utf16.count }
        isFull = slotsFilled == places.count { if case .literal = $0 { false } else { true } }
    }

    private mutating func show(_ places: ArraySlice<Place>) {
        for case .literal(let literal) in places { text.append(literal) }
    }
}

extension TypedText {
    /// - Parameters:
    ///   - caret: in UTF-16 code units of `input`.
    ///   - brand: the brand of a card number, or of the card that a CVC is coupled to.
    init(_ input: String, caret: Int, in field: Field, of form: FormSchema, brand: CardBrand?) {
        let places: [Place] =
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
            case .brand: Self.places(of: (brand ?? form.cardBrands.unknown).pattern)
            case .brandCVC: Self.places(of: field.cvcPattern(for: brand))
            }
        self.init(input, caret: caret, places: places)
    }

    private static func places(of pattern: FormatPattern) -> [Place] {
        zip(pattern.symbols, pattern.literals).map { symbol, literal in symbol.map { .symbol($0) } ?? .literal(literal)
        }
    }
}

extension FormSchema {
    /// Writes what a field shows while text is typed into it.
    /// - Parameters:
    ///   - name: the field's.
    ///   - caret: in UTF-16 code units of `text`.
    ///   - cardNumber: the text of the card number that a CVC is coupled to.
    /// - Returns: false, with nothing written, if there is no such field.
    public func writeTyped(
        _ text: String, caret: Int, inField name: String, cardNumber: String, into writer: inout JSONWriter
    ) -> Bool {
        guard let index = index(ofField: name) else { return false }
        let field = fields[index]
        var brand: CardBrand?
        if field.type == .cardNumber { brand = cardBrands.brand(ofNumber: text) }
        if field.coupledCard != nil { brand = cardBrands.brand(ofNumber: cardNumber) }
        let typed = TypedText(text, caret: caret, in: field, of: self, brand: brand)
        writer.beginObject()
        writer.key("text")
        writer.string(typed.text)
        writer.key("value")
        writer.string(typed.value)
        writer.key("caret")
        writer.number(typed.caret)
        writer.key("refused")
        writer.string(typed.refused)
        writer.key("next")
        writer.string(typed.next)
        writer.key("isFull")
        writer.bool(typed.isFull)
        if field.type == .cardNumber, let brand {
            writer.key("cardBrand")
            writer.string(brand.id)
            writer.key("cardBrandName")
            writer.string(brand.name)
        }
        writer.endObject()
        return true
    }
}
