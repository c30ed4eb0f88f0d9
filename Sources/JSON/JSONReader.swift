extension JSONValue {
    /// Reads exactly one JSON text (RFC 8259), strictly: UTF-8 is checked, duplicate member names, lone surrogates, a byte
    /// order mark and anything after the value are refused.
    ///
    /// - Parameters:
    ///   - bytes: the whole text.
    ///   - maximumDepth: how many arrays and objects may be open at once.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes, maximumDepth: maximumDepth)
        return try reader.readText()
    }
}

/// One pass over the bytes of a JSON text, recursive to a bounded depth.
struct JSONReader {
    let bytes: [UInt8]
    let maximumDepth: Int
    var position = 0

    init(bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    mutating func readText() throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        let value = try readValue(depth: 0)
        skipWhiteSpace()
        guard position == bytes.count else { throw failure(.trailingText) }
        return value
    }

    private mutating func readValue(depth: Int) throws(JSONError) -> JSONValue {
        guard let byte = peek() else { throw failure(.unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        case UInt8(ascii: "t"): return try readLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try readLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try readLiteral("null", .null)
        default: throw failure(.expectedValue)
        }
    }

    private mutating func readObject(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var members: [JSONObject.Member] = []
        var names = MemberNames()
        skipWhiteSpace()
        if take(UInt8(ascii: "}")) { return JSONObject() }
        while true {
            let start = position
            guard peek() == UInt8(ascii: "\"") else { throw failure(peek() == nil ? .unexpectedEnd : .expectedKey) }
            let key = try readString()
            guard names.insert(key, after: members) else { throw failure(.duplicateKey, at: start) }
            skipWhiteSpace()
            guard take(UInt8(ascii: ":")) else { throw failure(peek() == nil ? .unexpectedEnd : .expectedColon) }
            skipWhiteSpace()
            members.append(JSONObject.Member(key: key, value: try readValue(depth: depth)))
            skipWhiteSpace()
            if take(UInt8(ascii: "}")) { return JSONObject(checked: members) }
            guard take(UInt8(ascii: ",")) else { throw failure(peek() == nil ? .unexpectedEnd : .expectedCommaOrEnd) }
            skipWhiteSpace()
        }
    }

    private mutating func readArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= maximumDepth else { throw failure(.tooDeep) }
        position += 1
        var elements: [JSONValue] = []
        skipWhiteSpace()
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try readValue(depth: depth))
            skipWhiteSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw failure(peek() == nil ? .unexpectedEnd : .expectedCommaOrEnd) }
            skipWhiteSpace()
        }
    }

    private mutating func readLiteral(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let start = position
        for offset in 0..<word.utf8CodeUnitCount {
            guard let byte = peek() else { throw failure(.unexpectedEnd) }
            guard byte == word.utf8Start[offset] else { throw failure(.expectedValue, at: start) }
            position += 1
        }
        return value
    }

    private mutating func readNumber() throws(JSONError) -> JSONNumber {
        let start = position
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try skipDigits(from: start) }
        if take(UInt8(ascii: ".")) { try skipDigits(from: start) }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try skipDigits(from: start)
        }
        if let byte = peek(), byte.isDigit { throw failure(.badNumber, at: start) }
        return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func skipDigits(from start: Int) throws(JSONError) {
        guard let first = peek() else { throw failure(.unexpectedEnd) }
        guard first.isDigit else { throw failure(.badNumber, at: start) }
        while let byte = peek(), byte.isDigit { position += 1 }
    }
}

extension JSONReader {
    /// The byte at the read position; nil at the end.
    @inline(__always)
    func peek() -> UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Steps over `byte` if it comes next.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    mutating func skipWhiteSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    func failure(_ reason: JSONError.Reason, at offset: Int? = nil) -> JSONError {
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
            return !members.contains { $0.key.hasSameBytes(as: key) }
        }
        if hashed.isEmpty { for member in members { hashed.insert(Array(member.key.utf8)) } }
        return hashed.insert(Array(key.utf8)).inserted
    }
}
