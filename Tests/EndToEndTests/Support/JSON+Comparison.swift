import JSON
import Testing

extension JSONValue {
    /// Compact text, members in order: two values are the same when their texts are.
    var text: String {
        var writer = JSONWriter(capacity: 1_024)
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// What stands at a path of member names.
    subscript(_ path: String...) -> JSONValue? {
        path.reduce(self as JSONValue?) { $0?.object?[$1] }
    }

    /// What stands at a path, as text; nil if it is no string.
    func string(_ path: String...) -> String? {
        path.reduce(self as JSONValue?) { $0?.object?[$1] }?.string
    }

    init(text: String) throws { self = try JSONValue.parse(Array(text.utf8)) }
}

/// Expects exactly these members in this order, whatever the space between them.
func expect(
    _ actual: JSONValue?, equals expected: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let expected = try JSONValue(text: expected).text
    #expect(actual?.text == expected, sourceLocation: sourceLocation)
}
