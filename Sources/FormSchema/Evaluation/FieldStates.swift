public import JSON

/// The answer of `validate`, and the `fields` of an error body (`fields.md` section 10).
extension Evaluation {
    /// Writes the form's verdict with the state of every field.
    public func writeVerdict(into writer: inout JSONWriter) {
        writer.beginObject()
        writeVerdictMembers(into: &writer)
        writer.endObject()
    }

    /// The members of the verdict, for an object that goes on with others.
    /// - Parameter reveals: whether to show the field texts; only an offline evaluation may.
    public func writeVerdictMembers(into writer: inout JSONWriter, reveals: Bool = false) {
        let nextField = nextField
        writer.raw(form.verdictHead)
        writer.bool(nextField == nil)
        writer.raw(#","isComplete":"#)
        writer.bool(nextField == nil && nothingIsHalfFilled)
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
    /// Writes the field's state, names that belong together as one piece: this is most of what `validate` answers. Not inlined,
    /// as ``evaluate(_:in:today:brand:into:)``; and each member of the result is read where it stands, for taking the result out
    /// of the array would count every reference that it holds.
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
            results[index].shaped.writeRedacted(last4: results[index].last4, into: &writer)
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

    /// The beginning of the field's state, which is the same for every submission.
    static func stateHead(name: String, type: FieldType, flags: Flags) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key(name)
        writer.beginObject()
        writeIdentity(name: name, type: type, flags: flags, into: &writer)
        // Without the brace of the object that all states are in.
        return Array(writer.bytes.dropFirst())
    }

    /// The members with which a field's state and its description begin.
    static func writeIdentity(name: String, type: FieldType, flags: Flags, into writer: inout JSONWriter) {
        writer.key("fieldName")
        writer.string(name)
        writer.key("type")
        writer.string(type.rawValue)
        writer.key("isRequired")
        writer.bool(flags.isRequired)
        writer.key("isRequiredValidOnly")
        writer.bool(flags.isRequiredValidOnly)
    }
}

extension FieldResult {
    /// What of the state is a flag.
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
