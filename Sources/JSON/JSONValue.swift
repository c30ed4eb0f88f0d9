/// A JSON text as a value (RFC 8259).
///
/// Members keep their order and numbers keep their text, so that what came in can be passed on as it was given.
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
