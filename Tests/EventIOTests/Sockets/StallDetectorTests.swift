import Testing

@testable import EventIO

@Suite struct StallDetectorTests {
    @Test(arguments: [
        ([16_384, 32_768, 100_000], 3), ([16_383], 0), ([20_000, 36_383], 1), ([20_000, 36_384], 2), ([0], 0),
    ])
    func eachPeriodNeedsItsMinimum(taken: [Int], periods: Int) {
        var detector = StallDetector(taken: 0)
        var passed = 0
        for count in taken {
            guard detector.mayContinue(taken: count) else { break }
            passed += 1
        }
        #expect(passed == periods)
    }
}
