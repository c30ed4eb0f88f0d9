/// What a field shows while text is typed into it (`docs/reference/browser.md` section 4).
///
/// Unlike `format` (`docs/reference/fields.md` section 3), which shapes a submitted text once, this follows a text through its
/// changes: what is typed is input, and the literals that are shown are none.
struct TypedText {
    /// The text to show.
    private(set) var text: String
    /// The characters in the slots, as they were typed: what to submit.
    private(set) var value: String
    /// Where the caret belongs, in UTF-16 code units of `text`.
    private(set) var caret: Int
    /// The characters that find no place: letters and digits, and after an edit those that would have to leave their slots.
    private(set) var refused = ""
    /// The literals that stand between the text and the next slot.
    private(set) var next = ""
    /// Whether every slot is filled.
    private(set) var isFull = true

    /// - Parameters:
    ///   - caret: in UTF-16 code units of `text`.
    ///   - edit: what stood there before; nil if that is not known.
    ///   - places: those for a text; none if it is not shaped.
    init(_ text: String, caret: Int, after edit: TypedEdit?, places: (String) -> [TypingPlace]) {
        self.text = text
        value = text
        self.caret = min(max(caret, 0), text.utf16.count)
        let own = places(text)
        if own.isEmpty { return }
        guard let edit else {
            let characters = Array(text)
            take(.reading(characters, after: [], caret: characters.count(before: caret), in: own))
            return
        }
        let change = TextChange(to: text, caret: caret, of: edit, in: places(edit.value))
        // Where some have no place already, as after a change of the brand, no other joins them.
        let unplaced = TextChange(of: edit.value).filled([], caret: 0, places: places).refused
        var filled = change.filled(change.inserted, caret: change.caret, places: places)
        var left = change.inserted.isEmpty || unplaced.holds(filled.refused) ? "" : filled.refused
        if edit.isComposed, !left.isEmpty {
            let part = change.fitting { unplaced.holds(change.filled($0, caret: 0, places: places).refused) }
            left = part.left
            if part.taken.isEmpty {
                (self.text, value, self.caret, refused) = (edit.text, edit.value, edit.from, left)
                return
            }
            filled = change.filled(part.taken, caret: part.caret, places: places)
        }
        // A literal that was typed at the end stays, one that was pasted does not.
        if change.inserted.isEmpty ? change.removesHeld : change.inserted.count > 1 { filled.hideLastLiterals() }
        let isUnplaced = !filled.refused.isEmpty
        take(filled)
        // Where a character has no place, the value is shown, without literals.
        if isUnplaced { (self.text, value, self.caret) = (filled.input, filled.input, filled.inputCaret) }
        refused = left
    }

    private mutating func take(_ filled: FilledPlaces) {
        (text, value, caret) = (filled.text, filled.value, filled.caret)
        (refused, next, isFull) = (filled.refused, filled.next, filled.isFull)
    }
}

extension String {
    /// Whether it has all characters of another text, in their order.
    fileprivate func holds(_ other: String) -> Bool {
        var rest = makeIterator()
        for character in other {
            repeat {
                guard let next = rest.next() else { return false }
                if next == character { break }
            } while true
        }
        return true
    }
}
