import JSON
import Testing

@testable import FormSchema

extension FormatPattern {
    /// The text in this pattern.
    func shape(_ text: String) -> ShapingResult {
        var result = ShapingResult()
        shape(text, into: &result)
        return result
    }
}

extension Mask {
    /// The text in this mask.
    func shape(_ text: String) -> ShapingResult {
        var result = ShapingResult()
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
