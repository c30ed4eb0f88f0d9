/// The position of a value in a text. Twelve bytes: the marks of an array of one-digit numbers, the worst case, are six times as
/// large as its text.
struct JSONMark: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number
        /// Strings without escapes: the bytes between the quotes.
        case asciiString, string
        /// A string with escapes: its decoded text is stored beside the marks.
        case escapedString
        case array, object
    }

    let kind: Kind
    private let first: UInt32
    private var last: UInt32

    /// - Parameters:
    ///   - start: as ``start``; texts are shorter than 4 GiB.
    ///   - end: as ``end``.
    init(kind: Kind, start: Int, end: Int) {
        self.kind = kind
        first = UInt32(truncatingIfNeeded: start)
        last = UInt32(truncatingIfNeeded: end)
    }

    /// Offset of the first byte; of a string, the byte after its quote.
    var start: Int { Int(first) }
    /// Of a number or plain string, the offset after it; of a string with escapes, its index among these; of a container, the index
    /// of the first mark after its content.
    var end: Int {
        get { Int(last) }
        set { last = UInt32(truncatingIfNeeded: newValue) }
    }

    var isPlainString: Bool { kind == .asciiString || kind == .string }
    var isString: Bool { isPlainString || kind == .escapedString }
}

extension Span where Element == JSONMark {
    /// The index of the first mark after the value at `index` and its content.
    func end(of index: Int) -> Int {
        switch self[index].kind {
        case .array, .object: self[index].end
        default: index + 1
        }
    }
}
