import FormSchema
import Glibc
import Sensitive
import Testing

@testable import Gateway

/// What a search takes grows with the length of the text and not with its square: texts come from callers and upstreams, and the loop
/// waits for it.
@Suite struct LinearTimeTests {
    private static let units = [
        "7", "411111111111111", "4111 ", "4.", "1e", "2e+", ".4e", "4%3", "%25", #"\\"#, #"\u003"#, "&#5", "3\u{2009}",
        "Joe+",
    ]

    @Test(arguments: units, ["", "4."])
    func search(unit: String, beginning: String) throws {
        // The better of two: other work on the machine only adds.
        func best(_ count: Int) throws -> Int {
            let text = Array((beginning + String(repeating: unit, count: count / unit.utf8.count)).utf8)
            return try (0..<2).map { _ in try time(text) }.min() ?? 0
        }
        // Eight times the text, at least; the square of it is 64 times.
        #expect(try best(8_192) < 24 * max(best(1_024), 20_000))
    }

    /// Nanoseconds of this thread.
    private func time(_ text: [UInt8]) throws -> Int {
        let finder = ValueFinder([(SensitiveText("4111111111111111"), "A"), (SensitiveText("Joe Business"), "B")])
        let start = Self.clock()
        var filter = PANFilter(.mask, isJSON: true, exempt: [])
        _ = filter.filter(text, isLast: true)
        for syntax in [TextSyntax.json, .plain] {
            var scrubber = ResponseScrubber(finder, syntax)
            _ = try? scrubber.scrub(text, isLast: true)
        }
        return Self.clock() - start
    }

    private static func clock() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
