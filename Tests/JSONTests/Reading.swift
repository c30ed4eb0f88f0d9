import JSON

/// Why `bytes` are refused; nil if they are accepted.
func refusal(of bytes: [UInt8], maximumDepth: Int = 64) -> JSONError.Reason? {
    do {
        _ = try JSONValue.parse(bytes, maximumDepth: maximumDepth)
        return nil
    } catch {
        return error.reason
    }
}

/// `value` as compact JSON text.
func written(_ value: JSONValue) -> String {
    var writer = JSONWriter()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// All of `text`, compact.
func written(_ text: JSONText) -> String {
    var writer = JSONWriter()
    writer.value(of: text, at: text.root)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The text of the JSON string between the quotes that are put around `bytes`.
func string(_ bytes: [UInt8]) throws(JSONError) -> String? {
    try JSONValue.parse([0x22] + bytes + [0x22]).string
}
