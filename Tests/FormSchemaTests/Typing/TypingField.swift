import JSON
import Testing

@testable import FormSchema

/// A field in which keys are pressed: changes its text as a browser does, and shows what the engine makes of it, as
/// `TypedInput.js` does.
struct TypingField {
    private(set) var text: [Character] = []
    private(set) var value = ""
    /// The selection, in characters of `text`.
    var from = 0
    var to = 0
    /// What the last change could not place.
    private(set) var refused = ""
    let form: FormSchema
    var cardNumber = ""

    init(_ form: FormSchema) { self.form = form }

    var shown: String { String(text) }

    /// The text with the caret as `|`.
    var shownWithCaret: String { String(text[..<from]) + "|" + String(text[from...]) }

    mutating func select(_ from: Int, _ to: Int) { (self.from, self.to) = (from, to) }

    /// Puts a text in the place of what is selected.
    mutating func insert(_ inserted: String, isComposed: Bool = false) throws {
        var new = text
        new.replaceSubrange(from..<to, with: inserted)
        try settle(new, caret: from + inserted.count, isComposed: isComposed)
    }

    mutating func delete(isForward: Bool) throws {
        var (first, last) = (from, to)
        if from == to { if isForward { last = min(to + 1, text.count) } else { first = max(from - 1, 0) } }
        guard first < last else { return }
        var new = text
        new.removeSubrange(first..<last)
        try settle(new, caret: first, isDeletion: true)
    }

    /// Presses keys, written as in `Tests/Browser/typing_table.py`: `<…>` is one by its name, `{…}` is pasted, `~…~` composed.
    mutating func press(_ keys: String) throws {
        var rest = keys[...]
        while let key = rest.popFirst() {
            let close: [Character: Character] = ["<": ">", "{": "}", "~": "~"]
            guard let close = close[key], let end = rest.firstIndex(of: close) else {
                try insert(String(key))
                continue
            }
            let name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            switch (key, name) {
            case ("{", _): try insert(name)
            case ("~", _): try insert(name, isComposed: true)
            case (_, "Home"): select(0, 0)
            case (_, "Left"): select(max(from - 1, 0), max(from - 1, 0))
            case (_, "Right"): select(min(to + 1, text.count), min(to + 1, text.count))
            case (_, "All"): select(0, text.count)
            case (_, "Delete"): try delete(isForward: true)
            case (_, "Backspace"): try delete(isForward: false)
            default: throw UnknownKey(name: name)
            }
        }
    }

    struct UnknownKey: Error { let name: String }

    /// Shapes the text again, as after a change of the card number.
    mutating func reshape() throws { try settle(text, caret: from, isDeletion: true, from: from) }

    private mutating func settle(
        _ new: [Character], caret: Int, isDeletion: Bool = false, isComposed: Bool = false, from: Int? = nil
    ) throws {
        let edit = TypedEdit(
            text: shown, value: value, from: offset(of: self.from), to: offset(of: from ?? to), isComposed: isComposed)
        let json = written {
            _ = form.writeTyped(
                String(new), caret: String(new[..<caret]).utf16.count, after: edit, inField: "f",
                cardNumber: cardNumber,
                into: &$0)
        }
        let typed = try #require(JSONValue.parse(Array(json.utf8)).object)
        let text = try #require(typed["text"]?.string)
        refused = try #require(typed["refused"]?.string)
        if !refused.isEmpty, !isComposed || text == shown { return }
        if !isDeletion, text == shown, new.count > text.count { return }
        guard case .number(let number)? = typed["caret"], let place = number.int else { throw UnknownKey(name: json) }
        value = try #require(typed["value"]?.string)
        let after = String(decoding: Array(text.utf16)[..<place], as: UTF16.self).count
        self.text = Array(text)
        select(after, after)
    }

    private func offset(of index: Int) -> Int { String(text[..<index]).utf16.count }
}
