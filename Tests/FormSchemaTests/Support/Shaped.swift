@testable import FormSchema

extension FormatPattern {
    /// A fresh result with nothing but the shaped text.
    func shape(_ text: String, divider: String) -> FieldResult {
        var result = FieldResult()
        shape(text, divider: divider, into: &result)
        return result
    }
}

extension Mask {
    /// A fresh result with nothing but the masked text.
    func shape(_ text: String) -> FieldResult {
        var result = FieldResult()
        shape(text, into: &result)
        return result
    }
}

extension Redaction {
    /// The text to show, as text.
    func text(last4: String) -> String { String(decoding: utf8(last4: last4), as: UTF8.self) }
}
