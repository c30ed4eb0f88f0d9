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

    /// Writes the members of the state from the flags up to the number of `inputLength`.
    func write(into writer: inout JSONWriter) {
        writer.raw(Self.written.span.extracting(Self.starts[rawValue]..<Self.starts[rawValue + 1]))
    }

    /// All combinations, one behind the other: as arrays of their own they would be counted.
    private static let written: [UInt8] = all.flatMap { $0 }
    private static let starts: [Int] = all.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    private static var all: [[UInt8]] { (0..<32).map { StateFlags(rawValue: $0).text } }

    private var text: [UInt8] {
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
