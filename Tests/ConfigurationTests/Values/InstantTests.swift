import Testing

@testable import Configuration

@Suite struct InstantTests {
    @Test(arguments: [
        (0, 1970, 1, 1), (59, 1970, 3, 1), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (20_778, 2026, 11, 21),
        (-1, 1969, 12, 31), (47_540, 2100, 2, 28), (47_541, 2100, 3, 1),
    ])
    func dates(days: Int, year: Int, month: Int, day: Int) {
        let date = CivilDate(daysSinceEpoch: days)
        #expect(date.year == year && date.month == month && date.day == day)
    }

    @Test func instants() {
        #expect(Instant.text(seconds: 1_795_286_225) == "2026-11-21T18:37:05Z")
        #expect(Instant.text(milliseconds: 1_795_286_225_007) == "2026-11-21T18:37:05.007Z")
        #expect(Instant.text(seconds: 0) == "1970-01-01T00:00:00Z")
    }
}
