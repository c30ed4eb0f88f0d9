import Testing

@testable import Gateway

@Suite struct ReloadCountsTests {
    /// A refused reload has not found that a restart is needed no more.
    @Test func whatNeedsARestartStaysUntilAReloadFindsOtherwise() {
        let counts = ReloadCounts()
        func needed() -> [String]? { counts.last?.needsRestart }
        func metric() -> String? {
            var text = MetricsText()
            counts.write(into: &text)
            return text.text.split(separator: "\n").last.map(String.init)
        }
        #expect(needed() == nil && metric() == "cloakroom_keys_that_need_restart 0")
        counts.add(ReloadReport(.refused, mistakes: ["m"]))
        #expect(needed() == [] && metric() == "cloakroom_keys_that_need_restart 0")
        counts.add(ReloadReport(.partlyNeedsRestart, needsRestart: ["server.maxWait"]))
        for _ in 0..<2 {
            counts.add(ReloadReport(.refused, mistakes: ["m"]))
            #expect(counts.last?.outcome == .refused && counts.last?.mistakes == ["m"])
            #expect(needed() == ["server.maxWait"] && metric() == "cloakroom_keys_that_need_restart 1")
        }
        counts.add(ReloadReport(.taken, taken: ["forms"]))
        #expect(needed() == [] && metric() == "cloakroom_keys_that_need_restart 0")
    }
}
