/// The lines on which the values of a text stand. They are asked for in the order of the text, which is counted through once.
public struct JSONLines {
    private let text: JSONText
    private var position = 0
    private var line = 1

    public init(of text: JSONText) { self.text = text }

    /// The line, from 1, on which what stands at `place` begins. The places of earlier calls must not lie behind it.
    public mutating func line(of place: JSONText.Place) -> Int {
        let start = text.marks[place.index].start
        while position < start {
            if text.bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        return line
    }
}
