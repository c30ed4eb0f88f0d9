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
        for (index, field) in form.fields.enumerated() {
            writer.key(field.name)
            writer.beginObject()
            results[index].writeMembers(of: field, into: &writer)
            if reveals { results[index].writeTexts(into: &writer) }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension FieldResult {
    fileprivate func writeMembers(of field: Field, into writer: inout JSONWriter) {
        writer.key("fieldName")
        writer.string(field.name)
        writer.key("type")
        writer.string(field.type.rawValue)
        writer.key("isRequired")
        writer.bool(field.flags.isRequired)
        writer.key("isRequiredValidOnly")
        writer.bool(field.flags.isRequiredValidOnly)
        writer.key("isValid")
        writer.bool(isValid)
        writer.key("isEmpty")
        writer.bool(isEmpty)
        writer.key("isDirty")
        writer.bool(isDirty)
        writer.key("isComplete")
        writer.bool(isComplete)
        writer.key("isMaskSatisfied")
        writer.bool(isMaskSatisfied)
        writer.key("inputLength")
        writer.number(inputLength)
        writer.key("validationErrors")
        writer.beginArray()
        for error in errors { writer.string(error) }
        writer.endArray()
        if let brand { writeCard(brand, into: &writer) }
        if field.type == .cardNumber || field.type == .ssn {
            writer.key("last4")
            writer.string(last4)
        }
        writer.key("redacted")
        writer.string(field.type == .file ? "" : redaction.text(last4: last4))
    }

    private func writeCard(_ brand: CardBrand, into writer: inout JSONWriter) {
        writer.key("cardBrand")
        writer.string(brand.id)
        writer.key("cardBrandName")
        writer.string(brand.name)
        writer.key("bin")
        writer.string(bin)
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
