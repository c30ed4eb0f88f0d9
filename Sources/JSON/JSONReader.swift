/// One pass over the bytes of a JSON text, recursive to a bounded depth, which stores a mark for each value. The bytes are
/// passed from function to function as a span: a stored array would be retained and released around every step.
struct JSONReader {
    let maximumDepth: Int
    var position = 0
    private(set) var marks: [JSONMark] = []
    private(set) var unescaped: [String] = []

    /// - Parameter textLength: how long the text is, in bytes.
    init(maximumDepth: Int, textLength: Int) {
        self.maximumDepth = maximumDepth
        // Enough for most forms, so that the array does not grow repeatedly.
        marks.reserveCapacity(min(textLength / 8 + 1, 64))
    }

    mutating func readText(_ bytes: Span<UInt8>) throws(JSONError) {
        skipWhiteSpace(bytes)
        try readValue(bytes, depth: 0)
        skipWhiteSpace(bytes)
        guard position == bytes.count else { throw failure(bytes, .trailingText) }
    }

    private mutating func readValue(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""): try readString(bytes)
        case UInt8(ascii: "{"): try readObject(bytes, depth: depth + 1)
        case UInt8(ascii: "["): try readArray(bytes, depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber(bytes)
        case UInt8(ascii: "t"): try readLiteral(bytes, "true", .true)
        case UInt8(ascii: "f"): try readLiteral(bytes, "false", .false)
        case UInt8(ascii: "n"): try readLiteral(bytes, "null", .null)
        default: throw failure(bytes, .expectedValue)
        }
    }

    private mutating func readObject(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        let object = try open(.object, bytes, depth: depth)
        var names = MemberNames(of: object)
        skipWhiteSpace(bytes)
        if take(bytes, UInt8(ascii: "}")) { return close(object) }
        while true {
            let start = position
            guard peek(bytes) == UInt8(ascii: "\"") else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedKey)
            }
            try readString(bytes)
            guard names.admitsLast(of: self, bytes) else { throw failure(bytes, .duplicateKey, at: start) }
            skipWhiteSpace(bytes)
            guard take(bytes, UInt8(ascii: ":")) else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedColon)
            }
            skipWhiteSpace(bytes)
            try readValue(bytes, depth: depth)
            skipWhiteSpace(bytes)
            if take(bytes, UInt8(ascii: "}")) { return close(object) }
            try readComma(bytes)
        }
    }

    private mutating func readArray(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) {
        let array = try open(.array, bytes, depth: depth)
        skipWhiteSpace(bytes)
        if take(bytes, UInt8(ascii: "]")) { return close(array) }
        while true {
            try readValue(bytes, depth: depth)
            skipWhiteSpace(bytes)
            if take(bytes, UInt8(ascii: "]")) { return close(array) }
            try readComma(bytes)
        }
    }

    /// Marks the container whose bracket is at the read position.
    private mutating func open(_ kind: JSONMark.Kind, _ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> Int {
        guard depth <= maximumDepth else { throw failure(bytes, .tooDeep) }
        mark(kind, from: position)
        position += 1
        return marks.count - 1
    }

    private mutating func close(_ container: Int) { marks[container].end = marks.count }

    @inline(__always)
    private mutating func readComma(_ bytes: Span<UInt8>) throws(JSONError) {
        guard take(bytes, UInt8(ascii: ",")) else {
            throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedCommaOrEnd)
        }
        skipWhiteSpace(bytes)
    }

    private mutating func readLiteral(
        _ bytes: Span<UInt8>, _ word: StaticString, _ kind: JSONMark.Kind
    ) throws(JSONError) {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
            guard byte == word.utf8Start[offset] else { throw failure(bytes, .expectedValue, at: start) }
            position += 1
        }
        mark(kind, from: start)
    }

    private mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        _ = take(bytes, UInt8(ascii: "-"))
        if !take(bytes, UInt8(ascii: "0")) { try skipDigits(bytes, from: start) }
        if take(bytes, UInt8(ascii: ".")) { try skipDigits(bytes, from: start) }
        if take(bytes, UInt8(ascii: "e")) || take(bytes, UInt8(ascii: "E")) {
            if !take(bytes, UInt8(ascii: "+")) { _ = take(bytes, UInt8(ascii: "-")) }
            try skipDigits(bytes, from: start)
        }
        if let byte = peek(bytes), byte.isDigit { throw failure(bytes, .badNumber, at: start) }
        mark(.number, from: start, to: position)
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) {
        guard let first = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        guard first.isDigit else { throw failure(bytes, .badNumber, at: start) }
        while let byte = peek(bytes), byte.isDigit { position += 1 }
    }
}

extension JSONReader {
    /// Marks a value, with the end that its kind has.
    @inline(__always)
    mutating func mark(_ kind: JSONMark.Kind, from start: Int, to end: Int = 0) {
        marks.append(JSONMark(kind: kind, start: start, end: end))
    }

    /// Marks a string with escapes.
    mutating func markEscaped(_ text: String, from start: Int) {
        mark(.escapedString, from: start, to: unescaped.count)
        unescaped.append(text)
    }

    /// The byte at the read position; nil at the end.
    @inline(__always)
    func peek(_ bytes: Span<UInt8>) -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Steps over `byte` if it comes next.
    @inline(__always)
    mutating func take(_ bytes: Span<UInt8>, _ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
        while let byte = peek(bytes), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    func failure(_ bytes: Span<UInt8>, _ reason: JSONError.Reason, at offset: Int? = nil) -> JSONError {
        JSONError(reason, at: offset ?? position, in: bytes)
    }
}

extension UInt8 {
    /// Whether it is an ASCII digit.
    @inlinable @inline(__always)
    package var isDigit: Bool { self &- 0x30 < 10 }
}
