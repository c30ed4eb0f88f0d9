/// Fills places with characters, one after the other.
final class FilledPlaces {
    private let places: [TypingPlace]
    /// What is shown up to the last slot that is filled.
    private var filled = ""
    /// How many places that takes.
    private var filledCount = 0
    /// How many places are shown: literals may follow the last slot.
    private var shownCount = 0
    /// The characters in the slots, as they were typed: what to submit.
    private(set) var value = ""
    /// The characters that found no place: letters and digits, and whatever stood in a slot before.
    private(set) var refused = ""
    /// The value, and between its characters the refused ones.
    private(set) var input = ""
    /// Where the caret belongs, in UTF-16 code units of `text`.
    private(set) var caret = 0
    /// The same in `input`.
    private(set) var inputCaret = 0

    init(_ places: [TypingPlace]) { self.places = places }

    var text: String { filled + literals(filledCount, shownCount) }

    /// The literals that stand between the text and the next slot.
    var next: String { literals(shownCount, slot) }

    /// Whether every slot is filled.
    var isFull: Bool { slot == places.count }

    /// The next slot; past the end if there is none.
    private var slot: Int {
        var slot = shownCount
        while slot < places.count, places[slot].literal != nil { slot += 1 }
        return slot
    }

    private func literals(_ start: Int, _ end: Int) -> String {
        var text = ""
        for place in start..<end { if let literal = places[place].literal { text.append(literal) } }
        return text
    }

    private func fill(_ character: Character) -> Bool {
        let slot = slot
        guard slot < places.count, let (shown, typed) = places[slot].take(character) else { return false }
        filled += literals(filledCount, slot)
        filled.append(shown)
        value.append(typed)
        input.append(typed)
        filledCount = slot + 1
        shownCount = filledCount
        return true
    }

    private func refuse(_ character: Character) {
        refused.append(character)
        input.append(character)
    }

    /// Puts in what stood in a slot before.
    func keep(_ character: Character) {
        if !fill(character) { refuse(character) }
    }

    /// Shows the literals before the next slot up to the given one.
    /// - Returns: false if it is none of them.
    @discardableResult
    func show(_ literal: Character) -> Bool {
        for place in shownCount..<slot where places[place].literal == literal {
            shownCount = place + 1
            return true
        }
        return false
    }

    /// Shows no literals after the last slot that is filled.
    func hideLastLiterals() {
        shownCount = filledCount
        caret = min(caret, filled.utf16.count)
    }

    /// How the literals stand in a text.
    enum Literals {
        /// They do not: a character is a literal only if it fits no slot, such as a hyphen that is typed where one is shown.
        case none
        /// Each where it is shown.
        case all
        /// Up to the last letter or digit of each group.
        case marked
    }

    /// Puts in the characters of a text.
    /// - Parameter caret: how many of them stand before it.
    /// - Returns: false if letters or digits among the literals do not stand in it so.
    @discardableResult
    func read(_ text: [Character], caret: Int, literals: Literals) -> Bool {
        var index = 0
        var hasMarks = false
        var lacksSome = false
        while index < text.count {
            var length = 0
            if literals != .none {
                let slot = slot
                var marked = slot
                while marked > shownCount, places[marked - 1].literal?.isLetterOrNumber != true { marked -= 1 }
                let end = literals == .all ? slot : marked
                while shownCount + length < end, index + length < text.count,
                    places[shownCount + length].literal == text[index + length]
                { length += 1 }
                let isLast = index + length == text.count
                // The first of all may be cut off.
                if length > 0, shownCount + length == end || (isLast && shownCount == 0) {
                    // With nothing behind them they may be input.
                    if isLast, slot < places.count, places[slot].take(text[index]) != nil { return false }
                    hasMarks = hasMarks || marked > shownCount
                } else if marked > shownCount {
                    guard shownCount == 0, text[index] == " " else { return false }
                    index += 1
                    continue
                } else {
                    lacksSome = lacksSome || slot > shownCount
                    length = 0
                }
            }
            if index <= caret, caret < index + max(length, 1) { setCaret() }
            if length > 0 {
                shownCount += length
                index += length
                continue
            }
            let character = text[index]
            if !fill(character), !show(character), character.isLetterOrNumber { refuse(character) }
            index += 1
        }
        if caret >= text.count { setCaret() }
        return literals != .all || !hasMarks || !lacksSome
    }

    private func setCaret() {
        caret = text.utf16.count
        inputCaret = input.utf16.count
    }

    /// Reads a whole text, such as one that is pasted or filled in. Unlike in what is typed, its literals may stand in it.
    ///
    /// They do if all of them stand where they are shown. Otherwise every character is input; if there is no room for it all, it is
    /// enough that they stand there up to the last letter or digit of each group: `+33312345678` with the mask `+33 # ## ## ## ##`.
    /// - Parameters:
    ///   - shown: literals that stand before it already.
    ///   - caret: how many characters of the text stand before it.
    static func reading(
        _ text: [Character], after shown: [Character], caret: Int, in places: [TypingPlace]
    ) -> FilledPlaces {
        var readings: [FilledPlaces] = []
        for literals in [Literals.all, .none, .marked] {
            let filled = FilledPlaces(places)
            if literals == .none {
                for literal in shown { filled.show(literal) }
                filled.read(text, caret: caret, literals: .none)
            } else if !filled.read(shown + text, caret: shown.count + caret, literals: literals) {
                continue
            }
            if filled.refused.isEmpty { return filled }
            readings.append(filled)
        }
        return readings.first ?? FilledPlaces(places)
    }
}
