/// A JSON text as a value (RFC 8259).
///
/// Members keep their order and numbers keep their text, so that input can be passed on unchanged.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string value.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The members of an object value.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The elements of an array value.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// What kind of value this is.
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}

/// What a JSON value is, in RFC 8259's terms, for messages that must not show the value.
public enum JSONKind: String, Sendable, CustomStringConvertible {
    case null
    case boolean = "a boolean"
    case number = "a number"
    case string = "a string"
    case array = "an array"
    case object = "an object"

    public var description: String { rawValue }
}

/// A JSON number with the digits it was received with: `1.10`, `1e400` and `12345678901234567890123` are unchanged
/// (RFC 8259 section 6 leaves range and precision to the implementation, so nothing is rounded here).
public struct JSONNumber: Sendable {
    /// The number as it was written in the text.
    public let text: String

    /// Wraps text that the reader has checked against the grammar.
    init(checked text: String) {
        self.text = text
    }

    /// A whole number.
    public init(_ value: Int) {
        text = String(value)
    }

    /// The number as an `Int`, if it is written as a whole number (no fraction, no exponent) and fits.
    public var int: Int? { text.wholeNumber }
}

extension JSONValue {
    /// Reads exactly one JSON text, strictly, as ``JSONText/init(parsing:maximumDepth:)`` does.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        let text = try JSONText(parsing: bytes, maximumDepth: maximumDepth)
        return text.value(at: text.root)
    }
}

extension JSONText {
    /// A copy of the value at `place`.
    public func value(at place: Place) -> JSONValue {
        let mark = marks[place.index]
        switch mark.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(JSONNumber(checked: text(of: mark)))
        case .asciiString, .string, .escapedString: return .string(string(of: mark))
        case .array: return .array(elements(of: place).map { value(at: $0) })
        case .object:
            return .object(
                JSONObject(
                    checked: members(of: place).map { member in
                        JSONObject.Member(
                            key: string(of: marks[member.key.index]), value: value(at: member.value))
                    }))
        }
    }
}
