extension JSONReader {
    /// Reads the string whose opening quote is at the read position.
    mutating func readString() throws(JSONError) -> String {
        position += 1
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                defer { position += 1 }
                return try text(of: bytes[start..<position])
            }
            if byte == UInt8(ascii: "\\") { return try readEscapedString(from: start) }
            if byte < 0x20 { throw failure(.controlCharacter) }
            position += 1
        }
        throw failure(.unexpectedEnd)
    }

    /// Reads on from the first backslash, with what stood before it from `start`.
    private mutating func readEscapedString(from start: Int) throws(JSONError) -> String {
        var unescaped = Array(bytes[start..<position])
        var plainStart = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                unescaped.append(contentsOf: bytes[plainStart..<position])
                defer { position += 1 }
                guard let text = String(validating: unescaped, as: UTF8.self) else {
                    throw failure(.invalidUTF8, at: start + firstInvalidByte(of: bytes[start..<position]))
                }
                return text
            }
            if byte < 0x20 { throw failure(.controlCharacter) }
            if byte == UInt8(ascii: "\\") {
                unescaped.append(contentsOf: bytes[plainStart..<position])
                try readEscape(into: &unescaped)
                plainStart = position
            } else {
                position += 1
            }
        }
        throw failure(.unexpectedEnd)
    }

    private mutating func readEscape(into unescaped: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let letter = peek() else { throw failure(.unexpectedEnd) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): unescaped.append(contentsOf: try readUnicodeEscape(from: start).utf8)
        default: throw failure(.badEscape, at: start)
        }
    }

    /// The scalar of `\uXXXX`, or of a surrogate pair of them, whose digits are at the read position.
    private mutating func readUnicodeEscape(from start: Int) throws(JSONError) -> String {
        let first = try readFourHexDigits(from: start)
        if let scalar = Unicode.Scalar(first) { return String(scalar) }
        guard UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: first)) else { throw failure(.loneSurrogate, at: start) }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw failure(peek() == nil ? .unexpectedEnd : .loneSurrogate, at: start)
        }
        let second = try readFourHexDigits(from: start)
        guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: second)),
            let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)))
        else { throw failure(.loneSurrogate, at: start) }
        return String(scalar)
    }

    private mutating func readFourHexDigits(from start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek() else { throw failure(.unexpectedEnd) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw failure(.badEscape, at: start)
            }
            value = value << 4 | UInt32(truncatingIfNeeded: digit)
            position += 1
        }
        return value
    }

    private func text(of slice: ArraySlice<UInt8>) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw failure(.invalidUTF8, at: slice.startIndex + firstInvalidByte(of: slice))
        }
        return text
    }

    /// How many bytes of `slice` stand before the first one that is not UTF-8.
    private func firstInvalidByte(of slice: ArraySlice<UInt8>) -> Int {
        var decoder = UTF8()
        var iterator = slice.makeIterator()
        var valid = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { valid += UTF8.width(scalar) }
        return valid
    }
}
