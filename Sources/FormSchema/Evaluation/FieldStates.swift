public import JSON

/// The response of `validate`, and the `fields` of an error body (`docs/reference/fields.md` section 10).
extension Evaluation {
    /// Writes the form's verdict with the state of every field.
    public func writeVerdict(into writer: inout JSONWriter) {
        writer.beginObject()
        writeVerdictMembers(into: &writer)
        writer.endObject()
    }

    /// The members of the verdict, for an object that has further members.
    /// - Parameter reveals: whether to show the field texts, which only an offline evaluation may.
    public func writeVerdictMembers(into writer: inout JSONWriter, reveals: Bool = false) {
        let nextField = nextField
        writer.raw(form.verdictHead)
        writer.bool(nextField == nil)
        writer.raw(#","isComplete":"#)
        writer.bool(nextField == nil && hasNoIncompleteField)
        writer.raw(#","nextField":"#)
        if let nextField { writer.string(nextField) } else { writer.null() }
        writer.raw(#","fields":"#)
        writeStates(into: &writer, reveals: reveals)
    }

    /// Writes an object of the states of all fields, keyed by field name, in form order.
    public func writeStates(into writer: inout JSONWriter, reveals: Bool = false) {
        writer.beginObject()
        for index in form.fields.indices {
            form.fields[index].writeState(results, at: index, reveals: reveals, into: &writer)
        }
        writer.endObject()
    }
}

extension Field {
    /// Writes the field's state, which is most of the response of `validate`, with fixed runs of members as one piece. Not inlined,
    /// for the reason given at ``evaluate(_:in:today:brand:into:)``; and the result is read in place, because a copy of the element
    /// would retain every reference in it.
    @inline(never)
    fileprivate func writeState(
        _ results: [FieldResult], at index: Int, reveals: Bool, into writer: inout JSONWriter
    ) {
        writer.verbatim(stateHead)
        results[index].flags.write(into: &writer)
        writer.number(results[index].inputLength)
        if results[index].errors.isEmpty {
            writer.raw(#","validationErrors":[]"#)
        } else {
            writer.raw(#","validationErrors":"#)
            writer.strings(results[index].errors)
        }
        if !results[index].undecided.isEmpty {
            writer.raw(#","undecided":"#)
            writer.strings(results[index].undecided)
        }
        if let brand = results[index].brand {
            writer.raw(brand.stateMembers)
            writer.string(results[index].bin)
        }
        if type == .cardNumber || type == .ssn {
            writer.raw(#","last4":"#)
            writer.string(results[index].last4)
        }
        writer.raw(#","redacted":"#)
        if type == .file {
            writer.string("")
        } else {
            results[index].shaping.shaped.writeRedacted(last4: results[index].last4, into: &writer)
        }
        if reveals { writeTexts(results[index], into: &writer) }
        writer.endObject()
    }

    /// The submitted text in its four forms.
    private func writeTexts(_ result: FieldResult, into writer: inout JSONWriter) {
        writer.key("raw")
        writer.string(result.raw)
        writer.key("formatted")
        writer.string(result.formatted)
        writer.key("withDivider")
        writer.string(withDivider(result))
        writer.key("output")
        writer.string(result.output.whole)
    }
}

extension FieldResult {
    /// The flags of the state.
    @inline(__always)
    fileprivate var flags: StateFlags {
        var flags: StateFlags = []
        if isValid { flags.insert(.isValid) }
        if isEmpty { flags.insert(.isEmpty) }
        if isDirty { flags.insert(.isDirty) }
        if isComplete { flags.insert(.isComplete) }
        if isMaskSatisfied { flags.insert(.isMaskSatisfied) }
        return flags
    }
}

/// The five flags of a field's state (`docs/reference/fields.md` section 10). The text of each of their 32 combinations is
/// written once, because every response of `validate` holds one for every field.
private struct StateFlags: OptionSet {
    let rawValue: Int

    static let isValid = StateFlags(rawValue: 1)
    static let isEmpty = StateFlags(rawValue: 2)
    static let isDirty = StateFlags(rawValue: 4)
    static let isComplete = StateFlags(rawValue: 8)
    static let isMaskSatisfied = StateFlags(rawValue: 16)

    /// Writes the members of the state from the flags up to the name `inputLength`.
    func write(into writer: inout JSONWriter) {
        writer.raw(Self.written.span.extracting(Self.starts[rawValue]..<Self.starts[rawValue + 1]))
    }

    /// All combinations in one array: an array of arrays would retain an element at each use.
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
