/// What a JSON value is, in the words of RFC 8259, for messages that must not show the value.
public enum JSONKind: String, Sendable, CustomStringConvertible {
    case null
    case boolean = "a boolean"
    case number = "a number"
    case string = "a string"
    case array = "an array"
    case object = "an object"

    public var description: String { rawValue }
}
