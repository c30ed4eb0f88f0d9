extension JSONReader {
    /// Reads the string whose opening quote is at the read position.
    mutating func readString(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position + 1
        let (end, isASCII) = bytes.plainText(from: start)
        position = end
        guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        switch byte {
        case UInt8(ascii: "\""):
            if !isASCII { try checkUTF8(bytes, start..<end) }
            mark(isASCII ? .asciiString : .string, from: start, to: end)
            position += 1
        case UInt8(ascii: "\\"): markEscaped(try readEscapedString(bytes, from: start), from: start)
        default: throw failure(bytes, .controlCharacter)
        }
    }

    /// Reads the rest of a string from its first backslash; its text begins at `start`.
    private mutating func readEscapedString(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> String {
        var unescaped: [UInt8] = []
        var plainStart = start
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                append(bytes, plainStart..<position, to: &unescaped)
                defer { position += 1 }
                // Escapes are ASCII and stand for whole characters, so the result is UTF-8 if the source is.
                try checkUTF8(bytes, start..<position)
                return String(decoding: unescaped, as: UTF8.self)
            }
            if byte < 0x20 { throw failure(bytes, .controlCharacter) }
            if byte == UInt8(ascii: "\\") {
                append(bytes, plainStart..<position, to: &unescaped)
                try readEscape(bytes, into: &unescaped)
                plainStart = position
            } else {
                position += 1
            }
        }
        throw failure(bytes, .unexpectedEnd)
    }

    private mutating func readEscape(_ bytes: Span<UInt8>, into unescaped: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let letter = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"): unescaped.append(contentsOf: try readUnicodeEscape(bytes, from: start).utf8)
        default: throw failure(bytes, .badEscape, at: start)
        }
    }

    /// The scalar of `\uXXXX`, or of a surrogate pair of them, whose digits are at the read position.
    private mutating func readUnicodeEscape(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> String {
        let first = try readFourHexDigits(bytes, from: start)
        if let scalar = Unicode.Scalar(first) { return String(scalar) }
        guard UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: first)) else {
            throw failure(bytes, .loneSurrogate, at: start)
        }
        guard take(bytes, UInt8(ascii: "\\")), take(bytes, UInt8(ascii: "u")) else {
            throw failure(bytes, peek(bytes) == nil ? .unexpectedEnd : .loneSurrogate, at: start)
        }
        let second = try readFourHexDigits(bytes, from: start)
        guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: second)),
            let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF)))
        else { throw failure(bytes, .loneSurrogate, at: start) }
        return String(scalar)
    }

    private mutating func readFourHexDigits(_ bytes: Span<UInt8>, from start: Int) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(bytes) else { throw failure(bytes, .unexpectedEnd) }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw failure(bytes, .badEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// Refuses bytes of `range` that are not UTF-8.
    private func checkUTF8(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range))
        } catch {
            throw failure(bytes, .invalidUTF8, at: range.lowerBound + error.byteOffsets.lowerBound)
        }
    }

    /// Whether two strings that have been read are equal, byte for byte.
    func sameString(_ one: JSONMark, _ other: JSONMark, _ bytes: Span<UInt8>) -> Bool {
        guard one.isPlainString, other.isPlainString else {
            return content(of: one, bytes) == content(of: other, bytes)
        }
        return bytes.extracting(one.start..<one.end).isSame(as: bytes.extracting(other.start..<other.end))
    }

    /// The UTF-8 bytes of a string that has been read.
    func content(of mark: JSONMark, _ bytes: Span<UInt8>) -> [UInt8] {
        if mark.kind == .escapedString { return Array(unescaped[mark.end].utf8) }
        return bytes.extracting(mark.start..<mark.end).withUnsafeBufferPointer { Array($0) }
    }

    private func append(_ bytes: Span<UInt8>, _ range: Range<Int>, to array: inout [UInt8]) {
        for index in range { array.append(bytes[index]) }
    }
}
