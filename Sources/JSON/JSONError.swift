/// Why a text is not one JSON value, and where. It never holds text of the input.
public struct JSONError: Error, CustomStringConvertible {
    /// The rule that the text breaks.
    public enum Reason: String, Sendable {
        case unexpectedEnd = "the text ends too early"
        case expectedValue = "expected a value"
        case expectedKey = "expected a member name in double quotes"
        case expectedColon = "expected a colon"
        case expectedCommaOrEnd = "expected a comma or the closing bracket"
        case badNumber = "not a number"
        case badEscape = "unknown escape in a string"
        case loneSurrogate = "half of a surrogate pair in a string"
        case controlCharacter = "unescaped control character in a string"
        case invalidUTF8 = "not UTF-8"
        case duplicateKey = "member name given twice"
        case tooDeep = "nested too deeply"
        case trailingText = "text after the value"
        case tooLong = "longer than 4 GiB"
    }

    /// What is wrong.
    public let reason: Reason
    /// Bytes before the mistake.
    public let offset: Int
    /// Line of the mistake, from 1.
    public let line: Int
    /// Column of the mistake in bytes, from 1.
    public let column: Int

    init(_ reason: Reason, at offset: Int, in bytes: Span<UInt8>) {
        self.reason = reason
        self.offset = min(offset, bytes.count)
        var line = 1
        var lineStart = 0
        for index in 0..<self.offset where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        self.line = line
        column = self.offset - lineStart + 1
    }

    public var description: String { "line \(line), column \(column): \(reason.rawValue)" }
}
