public import JSON

/// JSON as it is written in Swift: `["type": "string", "minLength": 1]`. Members keep their order.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }

    /// An object of these members, in their order.
    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members { object.set(name, value) }
        return .object(object)
    }

    /// A reference to a component (OpenAPI 3.1 section 4.8.23).
    static func reference(_ kind: String, _ name: String) -> JSONValue { ["$ref": "#/components/\(kind)/\(name)"] }
}
