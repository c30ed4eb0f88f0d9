internal import JSON

/// The five flags of a field's state (`fields.md` section 10), which every answer of `validate` holds for every field: each
/// of their combinations is written beforehand.
struct StateFlags: OptionSet {
    let rawValue: Int

    static let isValid = StateFlags(rawValue: 1)
    static let isEmpty = StateFlags(rawValue: 2)
    static let isDirty = StateFlags(rawValue: 4)
    static let isComplete = StateFlags(rawValue: 8)
    static let isMaskSatisfied = StateFlags(rawValue: 16)

    /// The members of the state from the flags up to the number of `inputLength`.
    var json: [UInt8] { Self.written[rawValue] }

    private static let written: [[UInt8]] = (0..<32).map { StateFlags(rawValue: $0).write() }

    private func write() -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.raw(",")
        writer.key("isValid")
        writer.bool(contains(.isValid))
        writer.key("isEmpty")
        writer.bool(contains(.isEmpty))
        writer.key("isDirty")
        writer.bool(contains(.isDirty))
        writer.key("isComplete")
        writer.bool(contains(.isComplete))
        writer.key("isMaskSatisfied")
        writer.bool(contains(.isMaskSatisfied))
        writer.key("inputLength")
        return writer.bytes
    }
}
