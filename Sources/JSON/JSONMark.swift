/// Where a value stands in a text.
struct JSONMark: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number
        /// Between its quotes stands what it says.
        case asciiString, string
        /// Its text is kept beside the marks.
        case escapedString
        case array, object
    }

    let kind: Kind
    /// The first byte; of a string, the one behind its quote.
    let start: Int
    /// Of a number or plain string, the byte behind it; of a string with escapes, its place among these; of a container, the
    /// mark behind all that it holds.
    var end: Int

    var isPlainString: Bool { kind == .asciiString || kind == .string }
    var isString: Bool { isPlainString || kind == .escapedString }
}

extension Span where Element == JSONMark {
    /// The mark behind the value at `index` and all that it holds.
    func end(of index: Int) -> Int {
        switch self[index].kind {
        case .array, .object: self[index].end
        default: index + 1
        }
    }
}
