public import JSON

extension FormSchema {
    /// Writes what a field shows while text is typed into it.
    /// - Parameters:
    ///   - caret: in UTF-16 code units of `text`.
    ///   - edit: what stood there before; nil if that is not known.
    ///   - name: the field's.
    ///   - cardNumber: the text of the card number that a CVC is coupled to.
    /// - Returns: false, with nothing written, if there is no such field.
    public func writeTyped(
        _ text: String, caret: Int, after edit: TypedEdit? = nil, inField name: String, cardNumber: String,
        into writer: inout JSONWriter
    ) -> Bool {
        guard let index = index(ofField: name) else { return false }
        let field = fields[index]
        let typed = TypedText(text, caret: caret, after: edit) {
            self.typingPlaces(of: field, text: $0, cardNumber: cardNumber)
        }
        writer.beginObject()
        writer.key("text")
        writer.string(typed.text)
        writer.key("value")
        writer.string(typed.value)
        writer.key("caret")
        writer.number(typed.caret)
        writer.key("refused")
        writer.string(typed.refused)
        writer.key("next")
        writer.string(typed.next)
        writer.key("isFull")
        writer.bool(typed.isFull)
        if field.type == .cardNumber {
            let brand = cardBrands.brand(ofNumber: edit == nil ? text : typed.value)
            writer.key("cardBrand")
            writer.string(brand.id)
            writer.key("cardBrandName")
            writer.string(brand.name)
        }
        writer.endObject()
        return true
    }
}
