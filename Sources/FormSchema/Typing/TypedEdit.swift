/// What a field showed and held before a browser changed its text.
public struct TypedEdit {
    let text: String
    let value: String
    /// The selection, in UTF-16 code units of `text`.
    let from: Int
    let to: Int
    /// Whether an input method composed what was put in. Of that, what finds no place is left out; else nothing of it is taken.
    let isComposed: Bool

    public init(text: String, value: String, from: Int, to: Int, isComposed: Bool) {
        self.text = text
        self.value = value
        self.from = from
        self.to = to
        self.isComposed = isComposed
    }
}
