public import JSON

/// A form as a client needs it to draw it and to check input early.
extension FormSchema {
    /// Writes an object with the form's id and title.
    public func writeSummary(into writer: inout JSONWriter) {
        writer.beginObject()
        writeHeading(into: &writer)
        writer.endObject()
    }

    /// Writes an object with the fields in order, and the card brands if the form has a card number.
    public func writeDescription(into writer: inout JSONWriter) {
        writer.beginObject()
        writeHeading(into: &writer)
        writer.key("timeZone")
        writer.string(timeZone)
        writer.key("fields")
        writer.beginArray()
        for field in fields { field.writeDescription(in: self, into: &writer) }
        writer.endArray()
        if fields.contains(where: { $0.type == .cardNumber }) {
            writer.key("cardBrands")
            cardBrands.writeDescription(into: &writer)
        }
        writer.key("schema")
        writer.verbatim(client.json)
        writer.endObject()
    }

    private func writeHeading(into writer: inout JSONWriter) {
        writer.key("form")
        writer.string(form)
        writer.key("title")
        if let title { writer.string(title) } else { writer.null() }
    }
}

extension CardBrands {
    /// The brands in the order in which they are tried, the unknown one last.
    fileprivate func writeDescription(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("catalogue")
        writer.string(catalogue.rawValue)
        writer.key("brands")
        writer.beginArray()
        for brand in brands + [unknown] { brand.writeDescription(into: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

extension CardBrand {
    fileprivate func writeDescription(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("cardBrand")
        writer.string(id)
        writer.key("cardBrandName")
        writer.string(name)
        writer.key("prefixes")
        writer.beginArray()
        for range in prefixes { writer.string(range.text) }
        writer.endArray()
        let excluded = prefixes.compactMap { $0.except }
        if !excluded.isEmpty {
            writer.key("excludedPrefixes")
            writer.value(.array(excluded.map(JSONValue.string)))
        }
        writer.key("lengths")
        writer.value(.array(lengths.map { .number(JSONNumber($0)) }))
        writer.key("cvcLengths")
        writer.value(.array(cvcLengths.map { .number(JSONNumber($0)) }))
        writer.key("formatPattern")
        writer.string(pattern.text)
        writer.key("gaps")
        writer.value(.array(pattern.gaps.map { .number(JSONNumber($0)) }))
        writer.key("checksum")
        writer.string(checksum.rawValue)
        writer.endObject()
    }
}

extension FormatPattern {
    /// After how many slots a literal stands.
    fileprivate var gaps: [Int] {
        var slots = 0
        var gaps: [Int] = []
        for isSlot in isSlot {
            if isSlot { slots += 1 } else if slots > 0, gaps.last != slots { gaps.append(slots) }
        }
        return gaps
    }
}
