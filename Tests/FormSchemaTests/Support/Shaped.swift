import JSON
import Testing

@testable import FormSchema

extension FormatPattern {
    /// A fresh result with nothing but the shaped text.
    func shape(_ text: String) -> FieldResult {
        var result = FieldResult()
        shape(text, into: &result)
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

extension ShapedText {
    /// What of the text may be shown.
    func redacted(last4: String) throws -> String {
        try #require(JSONValue.parse(Array(written { writeRedacted(last4: last4, into: &$0) }.utf8)).string)
    }
}
