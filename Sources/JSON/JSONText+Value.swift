extension JSONValue {
    /// Reads exactly one JSON text, strictly, as ``JSONText/init(parsing:maximumDepth:)`` does.
    public static func parse(_ bytes: [UInt8], maximumDepth: Int = 64) throws(JSONError) -> JSONValue {
        let text = try JSONText(parsing: bytes, maximumDepth: maximumDepth)
        return text.value(at: text.root)
    }
}

extension JSONText {
    /// What stands at `place`, with all that it holds, as a value of its own.
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
