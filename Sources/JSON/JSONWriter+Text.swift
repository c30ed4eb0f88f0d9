extension JSONWriter {
    /// A whole value of a text that was read; strings without escapes and numbers are its own bytes.
    public mutating func value(of text: JSONText, at place: JSONText.Place) {
        let mark = text.marks[place.index]
        switch mark.kind {
        case .null: null()
        case .true: bool(true)
        case .false: bool(false)
        case .number: verbatim(text.bytes.span.extracting(mark.start..<mark.end))
        case .asciiString, .string, .escapedString: string(of: text, mark)
        case .array:
            beginArray()
            for element in text.elements(of: place) { value(of: text, at: element) }
            endArray()
        case .object:
            beginObject()
            for member in text.members(of: place) {
                key(of: text, at: member.key)
                value(of: text, at: member.value)
            }
            endObject()
        }
    }

    /// The name of the next member, which is a string of a text that was read.
    public mutating func key(of text: JSONText, at place: JSONText.Place) {
        string(of: text, text.marks[place.index])
        endKey()
    }

    private mutating func string(of text: JSONText, _ mark: JSONMark) {
        guard mark.isPlainString else { return string(text.string(of: mark)) }
        // Including the quotes on both sides.
        verbatim(text.bytes.span.extracting(mark.start - 1..<mark.end + 1))
    }
}
