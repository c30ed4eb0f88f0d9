import Testing

@testable import AuditLog

@Suite struct RefusalTallyTests {
    @Test func theFirstOfASecondAreToldApartAndTheOthersTogether() {
        var tally = RefusalTally()
        let start = ContinuousClock.now
        var verdicts: [RefusalTally.Verdict] = []
        for number in 0..<50 { verdicts.append(tally.take(number < 40 ? .create : .reveal, now: start)) }
        #expect(verdicts.prefix(20).allSatisfy { $0 == .record })
        #expect(verdicts[20] == .beginSum)
        #expect(verdicts.dropFirst(21).allSatisfy { $0 == .count })
        #expect(tally.takeSums().map { "\($0.action) \($0.count)" } == ["create 20", "reveal 10"])
        #expect(tally.takeSums().isEmpty)
        #expect(tally.take(.create, now: start + .milliseconds(999)) == .beginSum)
        #expect(tally.take(.create, now: start + .seconds(1)) == .record)
    }
}
