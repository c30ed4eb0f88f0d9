/// The `mask` of an element field: literals, and slots that each take one character (`docs/reference/elements.md` sections 3 and 4).
final class Mask: Sendable {
    /// What fills a slot.
    struct Slot: Sendable {
        enum Accepted: Sendable {
            case digit
            /// Unicode category L.
            case letter
            case matching(Pattern, source: String)

            /// A regular expression that a client can use for the slot.
            var source: String {
                switch self {
                case .digit: "[0-9]"
                case .letter: "\\p{L}"
                case .matching(_, let source): source
                }
            }
        }

        let accepted: Accepted
        let changesCase: Transform.Case?

        /// The character as the slot shows it; nil if the slot does not accept it.
        func take(_ character: Character) throws(Pattern.Exhausted) -> Character? {
            let isAccepted =
                switch accepted {
                case .digit: character.isDigit
                case .letter: character.isCategoryL
                case .matching(let pattern, _): try pattern.matches(String(character))
                }
            return isAccepted ? cased(character) : nil
        }

        /// The same with a pattern that reaches its limit or is not known.
        /// - Parameter takesUnknown: whether it counts as matching.
        func take(_ character: Character, takesUnknown: Bool) -> Character? {
            do throws(Pattern.Exhausted) { return try take(character) } catch {
                return takesUnknown ? cased(character) : nil
            }
        }

        /// One character in, one out: where the other case has more characters (`ß`), the character stays unchanged.
        fileprivate func cased(_ character: Character) -> Character {
            let text: String
            switch changesCase {
            case .upper: text = character.uppercased()
            case .lower: text = character.lowercased()
            case nil: return character
            }
            return text.count == 1 && text.unicodeScalars.count == character.unicodeScalars.count
                ? text.first ?? character : character
        }
    }

    enum Entry: Sendable {
        case literal(Character)
        case slot(Slot)
    }

    let entries: [Entry]
    let isSlot: [Bool]
    let slotCount: Int
    init(entries: [Entry]) {
        self.entries = entries
        isSlot = entries.map { if case .slot = $0 { true } else { false } }
        slotCount = isSlot.count { $0 }
    }

    /// The string shorthand: `#` digit, `c` letter in lower case, `C` letter in upper case, all else literal.
    convenience init(shorthand: String) {
        self.init(
            entries: shorthand.map { character in
                switch character {
                case "#": .slot(Slot(accepted: .digit, changesCase: nil))
                case "c": .slot(Slot(accepted: .letter, changesCase: .lower))
                case "C": .slot(Slot(accepted: .letter, changesCase: .upper))
                default: .literal(character)
                }
            })
    }

    /// Puts `text` into the mask, once. Its formatted text is the masked text; raw is the same, before any transform.
    ///
    /// - Parameter takesUnknown: whether a slot takes every character if its pattern reaches its limit or is not known, as on a client;
    ///   otherwise it takes none.
    func shape(_ text: String, takesUnknown: Bool = false, into result: inout ShapingResult) {
        var rest = text[...]
        var emitted: [Character] = []
        var slotsFilled = 0
        var dropped = false
        for entry in entries where !rest.isEmpty {
            switch entry {
            case .literal(let character): emitted.append(character)
            case .slot(let slot):
                while let character = rest.popFirst() {
                    do throws(Pattern.Exhausted) {
                        if let taken = try slot.take(character) {
                            emitted.append(taken)
                            slotsFilled += 1
                            break
                        }
                    } catch {
                        result.exhaustedPattern = true
                        if takesUnknown {
                            emitted.append(slot.cased(character))
                            slotsFilled += 1
                            break
                        }
                    }
                    dropped = dropped || character.isLetterOrNumber
                }
            }
        }
        dropped = dropped || rest.contains { $0.isLetterOrNumber }
        result.raw = String(emitted)
        result.isMaskSatisfied = slotsFilled >= slotCount
        result.droppedInput = dropped
        result.shaped = ShapedText(emitted, isSlot: isSlot)
    }

    /// Whether every slot takes digits only.
    var takesOnlyDigits: Bool {
        entries.allSatisfy { entry in
            if case .slot(let slot) = entry, case .digit = slot.accepted { return true }
            if case .literal = entry { return true }
            return false
        }
    }

    /// Literals that the next slot would accept: in pasted text they are taken for input.
    var ambiguousLiterals: [Character] {
        var ambiguous: [Character] = []
        var pending: [Character] = []
        for entry in entries {
            switch entry {
            case .literal(let character): pending.append(character)
            case .slot(let slot):
                ambiguous += pending.filter { slot.take($0, takesUnknown: false) != nil }
                pending = []
            }
        }
        return ambiguous
    }
}
