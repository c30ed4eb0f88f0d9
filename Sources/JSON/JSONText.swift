/// A JSON text that has been read and is well-formed (RFC 8259), with the position of each of its values. Values are created on
/// demand: most of a request body is only inspected, or copied unchanged.
public struct JSONText: Sendable {
    let bytes: [UInt8]
    /// In the order of the text: a container, then what it holds; a member's name, then its value.
    let marks: [JSONMark]
    /// The strings with escapes, decoded.
    let unescaped: [String]

    /// One value of the text, or the name of a member.
    public struct Place: Sendable {
        let index: Int
    }

    /// Reads exactly one JSON text, strictly: UTF-8 is checked, duplicate member names, lone surrogates, a byte order mark and
    /// anything after the value are refused.
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - maximumDepth: how many arrays and objects may be open at once.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) {
        // Marks hold offsets of 32 bits.
        guard UInt64(bytes.count) < UInt64(UInt32.max) else { throw JSONError(.tooLong, at: 0, in: bytes.span) }
        var reader = JSONReader(maximumDepth: maximumDepth, textLength: bytes.count)
        try reader.readText(bytes.span)
        self.bytes = bytes
        marks = reader.marks
        unescaped = reader.unescaped
    }

    /// The one value that holds all others.
    public var root: Place { Place(index: 0) }

    /// Which kind of value stands there.
    public func kind(at place: Place) -> JSONKind {
        switch marks[place.index].kind {
        case .null: .null
        case .true, .false: .boolean
        case .number: .number
        case .asciiString, .string, .escapedString: .string
        case .array: .array
        case .object: .object
        }
    }

    /// The string at `place`; nil if something else stands there.
    public func string(at place: Place) -> String? {
        let mark = marks[place.index]
        return mark.isString ? string(of: mark) : nil
    }

    /// Whether the string at `place` is `other`, byte for byte.
    public func holds(_ other: String, at place: Place) -> Bool {
        let mark = marks[place.index]
        guard mark.isPlainString else { return mark.isString && string(of: mark).hasSameBytes(as: other) }
        // The counts are compared first, which needs no access to the bytes.
        guard mark.end - mark.start == other.utf8.count else { return false }
        return bytes.span.extracting(mark.start..<mark.end).isSame(as: other.utf8Span.span)
    }

    /// - Parameter mark: a string's.
    func string(of mark: JSONMark) -> String {
        mark.kind == .escapedString ? unescaped[mark.end] : text(of: mark)
    }

    /// - Parameter mark: a number's or a plain string's. The reader has found it to be UTF-8.
    func text(of mark: JSONMark) -> String {
        String(
            copying: UTF8Span(
                unchecked: bytes.span.extracting(mark.start..<mark.end), isKnownASCII: mark.kind != .string))
    }
}

extension JSONText {
    /// The members of the object at `place`, in their order; none if something else stands there.
    public func members(of place: Place) -> Members {
        let mark = marks[place.index]
        return Members(marks: marks, position: place.index + 1, end: mark.kind == .object ? mark.end : 0)
    }

    /// The elements of the array at `place`; none if something else stands there.
    public func elements(of place: Place) -> Elements {
        let mark = marks[place.index]
        return Elements(marks: marks, position: place.index + 1, end: mark.kind == .array ? mark.end : 0)
    }

    /// The members of an object, in their order.
    public struct Members: Sequence, IteratorProtocol {
        let marks: [JSONMark]
        var position: Int
        let end: Int

        /// A name with its value.
        public mutating func next() -> (key: Place, value: Place)? {
            guard position < end else { return nil }
            let key = position
            position = marks.span.end(of: key + 1)
            return (Place(index: key), Place(index: key + 1))
        }
    }

    /// The elements of an array.
    public struct Elements: Sequence, IteratorProtocol {
        let marks: [JSONMark]
        var position: Int
        let end: Int

        public mutating func next() -> Place? {
            guard position < end else { return nil }
            defer { position = marks.span.end(of: position) }
            return Place(index: position)
        }
    }
}

/// The line numbers of a text's values. Lines are requested in the order of the text, which is scanned once.
public struct JSONLines {
    private let text: JSONText
    private var position = 0
    private var line = 1

    /// Counts the lines of this text.
    public init(of text: JSONText) { self.text = text }

    /// The line, from 1, on which the value at `place` begins. Places must be requested in the order of the text.
    public mutating func line(of place: JSONText.Place) -> Int {
        let start = text.marks[place.index].start
        while position < start {
            if text.bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        return line
    }
}
