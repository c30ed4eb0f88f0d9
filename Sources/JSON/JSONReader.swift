extension JSONValue {
    /// Reads exactly one JSON text (RFC 8259), strictly: UTF-8 is checked, duplicate member names, lone surrogates, a byte
    /// order mark and anything after the value are refused.
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - maximumDepth: how many arrays and objects may be open at once.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        var reader = JSONReader(maximumDepth: maximumDepth)
        return try reader.readText(bytes.span)
    }
}

/// One pass over the bytes of a JSON text, recursive to a bounded depth. The bytes are handed from function to function
/// as a span: kept as an array, they would be retained and released around every step.
struct JSONReader {
    let maximumDepth: Int
    var position = 0

    init(maximumDepth: Int) {
        self.maximumDepth = maximumDepth
    }

    mutating func readText(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        skipWhiteSpace(bytes)
        let value = try readValue(bytes, depth: 0)
        skipWhiteSpace(bytes)
        guard position == bytes.count else { throw failure(bytes, .trailingText) }
        return value
    }

    private mutating func readValue(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""): return .string(try readString(bytes))
        case UInt8(ascii: "{"): return .object(try readObject(bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(bytes, depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber(bytes))
        case UInt8(ascii: "t"): return try readLiteral(bytes, "true", .bool(true))
        case UInt8(ascii: "f"): return try readLiteral(bytes, "false", .bool(false))
        case UInt8(ascii: "n"): return try readLiteral(bytes, "null", .null)
        default: throw failure(bytes, .expectedValue)
        }
    }

    private mutating func readObject(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw failure(bytes, .tooDeep) }
        position += 1
        var members: [JSONObject.Member] = []
        var names = MemberNames()
        skipWhiteSpace(bytes)
        if take(bytes, UInt8(ascii: "}")) { return JSONObject() }
        // Enough for most forms, so that the array does not grow step by step.
        members.reserveCapacity(8)
        while true {
            let start = position
            guard peek(bytes) == UInt8(ascii: "\"") else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedKey)
            }
            let key = try readString(bytes)
            guard names.insert(key, after: members) else { throw failure(bytes, .duplicateKey, at: start) }
            skipWhiteSpace(bytes)
            guard take(bytes, UInt8(ascii: ":")) else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedColon)
            }
            skipWhiteSpace(bytes)
            members.append(JSONObject.Member(key: key, value: try readValue(bytes, depth: depth)))
            skipWhiteSpace(bytes)
            if take(bytes, UInt8(ascii: "}")) { return JSONObject(checked: members) }
            guard take(bytes, UInt8(ascii: ",")) else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedCommaOrEnd)
            }
            skipWhiteSpace(bytes)
        }
    }

    private mutating func readArray(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw failure(bytes, .tooDeep) }
        position += 1
        var elements: [JSONValue] = []
        skipWhiteSpace(bytes)
        if take(bytes, UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try readValue(bytes, depth: depth))
            skipWhiteSpace(bytes)
            if take(bytes, UInt8(ascii: "]")) { return elements }
            guard take(bytes, UInt8(ascii: ",")) else {
                throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .expectedCommaOrEnd)
            }
            skipWhiteSpace(bytes)
        }
    }

    private mutating func readLiteral(
        _ bytes: Span<UInt8>, _ word: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
            guard byte == word.utf8Start[offset] else { throw failure(bytes, .expectedValue, at: start) }
            position += 1
        }
        return value
    }

    private mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
        let start = position
        _ = take(bytes, UInt8(ascii: "-"))
        if !take(bytes, UInt8(ascii: "0")) { try skipDigits(bytes, from: start) }
        if take(bytes, UInt8(ascii: ".")) { try skipDigits(bytes, from: start) }
        if take(bytes, UInt8(ascii: "e")) || take(bytes, UInt8(ascii: "E")) {
            if !take(bytes, UInt8(ascii: "+")) { _ = take(bytes, UInt8(ascii: "-")) }
            try skipDigits(bytes, from: start)
        }
        if let byte = peek(bytes), byte.isDigit { throw failure(bytes, .badNumber, at: start) }
        return JSONNumber(checked: try text(bytes, start..<position))
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) {
        guard let first = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        guard first.isDigit else { throw failure(bytes, .badNumber, at: start) }
        while let byte = peek(bytes), byte.isDigit { position += 1 }
    }
}

extension JSONReader {
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
    @inline(__always)
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}

/// Finds member names that are given twice: by comparing while there are few, by hashing their bytes beyond that, so that
/// an object with a hundred thousand members is still read in linear time.
private struct MemberNames {
    private static let comparedAtMost = 16
    private var hashed: Set<[UInt8]> = []

    /// False if `key` is the name of one of `members` already.
    mutating func insert(_ key: String, after members: [JSONObject.Member]) -> Bool {
        if members.count < Self.comparedAtMost {
            return members.indexOfKey(key) == nil
        }
        if hashed.isEmpty { for member in members { hashed.insert(Array(member.key.utf8)) } }
        return hashed.insert(Array(key.utf8)).inserted
    }
}
