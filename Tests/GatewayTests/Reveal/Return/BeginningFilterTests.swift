import Sensitive
import Testing

@testable import Gateway

/// Most places of a response are ruled out by two or three bytes. No place may be at which a value begins.
@Suite struct BeginningFilterTests {
    private static let values = [
        "4111111111111111", "321", "007", "000", "400", "09", "7", "2031", "Joe Business", " Ann", "%41&x", "\\n\"",
        "Zoë", "é",
        "219-09-9999", "999999999999999999", "4111111111111111117", "tok_sandbox_1", "\n", "12/30", "J Smith", "J ",
        "A  B", "1234    5678 9012", "12-34-56",
    ]
    private static let pieces =
        values + [
            "\"", "\\", "%", "&", "+", " ", "-", ".", "e", "0", "4", "1", "3", "\\u0034", "\\\\u0034", "%34", "%2534",
            "&#52;", "&#x34;",
            "\u{A0}", "\u{2011}", "4 1 1 1", "4-111", "4.111111111111111e15", "0.4111111111111111e16", "1e18", "4e2",
            "0.0", "-321",
            "3.21e2", "{\"a\":", ",", "}", "\t", "é", "%C3%A9", "J", "Jo", "%4", "\\u00", "&amp;", "&#3", "\u{1B}",
            "text that is plain", "J+Smith", "A++B", "12 34", "56",
        ]

    @Test(arguments: 0..<40) func noBeginningIsRuledOut(seed: Int) {
        var random = Generator(state: UInt64(seed))
        let chosen = (0..<1 + seed % 7).map { _ in Self.values.randomElement(using: &random) ?? "" }
        let finder = ValueFinder(chosen.map { (SensitiveText($0), "alias") })
        for _ in 0..<100 {
            let bytes = (0..<12).flatMap { _ in Array((Self.pieces.randomElement(using: &random) ?? "").utf8) }
            let text = String(decoding: bytes, as: UTF8.self)
            for start in bytes.indices {
                let mayBegin = finder.beginnings.next(bytes.span, from: start) == start
                var steps = 0
                let found = finder.find(bytes.span, at: start, isWhole: true, steps: &steps) { _, _ in true }
                if case .nothing = found {} else { #expect(mayBegin, "\(chosen) at \(start) of \(text)") }
                let end = NumberText.characters(of: bytes.span, from: start)
                guard finder.number(bytes.span.extracting(start..<end), isBare: true) != nil else { continue }
                let place = finder.beginnings.next(bytes.span, from: start)
                #expect(place < end, "the number \(chosen) at \(start) of \(text)")
            }
        }
    }

    @Test func nearlyAllPlacesOfATextAreRuledOut() {
        let finder = ValueFinder([
            (SensitiveText("4111111111111111"), "alias"), (SensitiveText("Joe Business"), "other"),
        ])
        let bytes = Array(
            String(repeating: #"{"id":"ch_17","amount":1050,"city":"Zürich","note":"Ring twice."},"#, count: 40).utf8)
        #expect(finder.beginnings.next(bytes.span, from: 0) == bytes.count)
        #expect(finder.beginnings.next(Array("plain \u{0} text".utf8).span, from: 0) == 6)
    }
}
