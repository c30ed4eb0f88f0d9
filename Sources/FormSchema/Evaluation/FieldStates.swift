public import JSON

/// The answer of `validate`, and the `fields` of an error body (`fields.md` section 10).
extension Evaluation {
    /// Writes the form's verdict with the state of every field.
    public func writeVerdict(into writer: inout JSONWriter) {
        writer.beginObject()
        writeVerdictMembers(into: &writer)
        writer.endObject()
    }

    /// The members of the verdict, for an answer that has more of them.
    /// - Parameter reveals: whether to show the field texts; only an offline evaluation may.
    public func writeVerdictMembers(into writer: inout JSONWriter, reveals: Bool = false) {
        let nextField = nextField
        writer.key("form")
        writer.string(form.form)
        writer.key("isValid")
        writer.bool(nextField == nil)
        writer.key("isComplete")
        writer.bool(nextField == nil && nothingIsHalfFilled)
        writer.key("nextField")
        if let nextField { writer.string(nextField) } else { writer.null() }
        writer.key("fields")
        writeStates(into: &writer, reveals: reveals)
    }

    /// Writes an object of the states of all fields, keyed by field name, in form order.
    public func writeStates(into writer: inout JSONWriter, reveals: Bool = false) {
        writer.beginObject()
        // By index: taking a result out of the array would count every reference that it holds up and down.
        for (index, field) in form.fields.enumerated() {
            writer.verbatim(field.stateHead)
            results[index].writeMembers(of: field.type, into: &writer)
            if reveals { results[index].writeTexts(into: &writer) }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension Field {
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
    /// Writes the members behind the head. Names and booleans are written as one piece: this is most of what `validate`
    /// answers.
    fileprivate func writeMembers(of type: FieldType, into writer: inout JSONWriter) {
        writer.raw(isValid ? #","isValid":true"# : #","isValid":false"#)
        writer.raw(isEmpty ? #","isEmpty":true"# : #","isEmpty":false"#)
        writer.raw(isDirty ? #","isDirty":true"# : #","isDirty":false"#)
        writer.raw(isComplete ? #","isComplete":true"# : #","isComplete":false"#)
        writer.raw(isMaskSatisfied ? #","isMaskSatisfied":true"# : #","isMaskSatisfied":false"#)
        writer.raw(#","inputLength":"#)
        writer.number(inputLength)
        writer.raw(#","validationErrors":"#)
        writer.strings(errors)
        if let brand {
            writer.raw(#","cardBrand":"#)
            writer.string(brand.id)
            writer.raw(#","cardBrandName":"#)
            writer.string(brand.name)
            writer.raw(#","bin":"#)
            writer.string(bin)
        }
        if type == .cardNumber || type == .ssn {
            writer.raw(#","last4":"#)
            writer.string(last4)
        }
        writer.raw(#","redacted":"#)
        writer.string(utf8: type == .file ? [] : redaction.utf8(last4: last4))
    }

    /// The submitted text in its four forms.
    fileprivate func writeTexts(into writer: inout JSONWriter) {
        writer.key("raw")
        writer.string(raw)
        writer.key("formatted")
        writer.string(formatted)
        writer.key("withDivider")
        writer.string(withDivider)
        writer.key("output")
        writer.string(output)
    }
}
