import FormSchema
import Sensitive
import Testing

@testable import Gateway

/// What is found at a place depends on so many bytes behind it, and no more. Of a text that comes piece by piece no more is held back,
/// and so no place can make a search read all the rest of a text. How long searches take is measured in `Benchmarks/hostile.py`.
@Suite struct HeldBackTests {
    /// A number of JSON, and what may be around it.
    private static let limit = NumberText.maximumLength + 256

    private static let units = [
        "7", "411111111111111", "4111 ", "4.", "0", "1e", "2e+", ".4e", "4%3", "%34", "%25", #"\\"#, #"\u003"#,
        #"\u0034"#,
        "&#5", "&#52;", "&amp;#5", "&eacut", "3\u{2009}", "Joe+", "Joe%2520", " ", "-", "a",
    ]

    @Test(arguments: units, ["", "4.", "4e", "4111111111111111.", "4111 1111 1111 1111.0", "Joe Bus", "&#x"])
    func held(unit: String, beginning: String) throws {
        let text = Array((#"{"a":""# + beginning + String(repeating: unit, count: 4_096 / unit.utf8.count)).utf8)
        // Values that nearly are there: what is replaced is shorter, and would look as if it were held back.
        let finder = ValueFinder([(SensitiveText("4111111111111119"), "A"), (SensitiveText("Joe Busy"), "B")])
        for size in [100, 1_000] {
            var filter = PANFilter(.mask, isJSON: true, exempt: [])
            var json = ResponseScrubber(finder, .json)
            var plain = ResponseScrubber(finder, .plain)
            var left = (0, 0, 0)
            for start in stride(from: 0, to: text.count, by: size) {
                let piece = Array(text[start..<min(start + size, text.count)])
                left.0 += filter.filter(piece, isLast: false).count
                left.1 += try json.scrub(piece, isLast: false).count
                left.2 += try plain.scrub(piece, isLast: false).count
                let come = start + piece.count
                #expect(come - left.0 <= Self.limit && come - left.1 <= Self.limit && come - left.2 <= Self.limit)
                guard max(come - left.0, come - left.1, come - left.2) <= Self.limit else { return }
            }
        }
    }
}
