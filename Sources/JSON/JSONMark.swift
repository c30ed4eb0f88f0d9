/// Where a value stands in a text. Twelve bytes: of a text made of nothing but numbers of one digit, the marks still are six times
/// as large.
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

    /// The first byte; of a string, the one behind its quote.
    var start: Int { Int(first) }
    /// Of a number or plain string, the byte behind it; of a string with escapes, its place among these; of a container, the
    /// mark behind all that it holds.
    var end: Int {
        get { Int(last) }
        set { last = UInt32(truncatingIfNeeded: newValue) }
    }

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
