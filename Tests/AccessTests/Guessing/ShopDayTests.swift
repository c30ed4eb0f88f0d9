import Testing

@testable import Access

/// A day of an honest shop whose backend submits the cards of all its customers with one credential: the caller for whom the limit is
/// hardest to keep.
@Suite("A shop's day")
struct ShopDayTests {
    /// Shares of BINs as issuers have them: few large ones and a long tail. The largest has 8% of the customers, and 300 have
    /// shares that fall off as 1/rank.
    private static let bins: [(bin: Int, upTo: Double)] = {
        let weights = (1...300).map { 1 / Double($0 + 1) }
        let total = weights.reduce(0, +)
        var sum = 0.0
        return weights.enumerated().map { index, weight in
            sum += weight / total
            return (400_000 + index * 331, sum)
        }
    }()

    /// How much of a day's business falls into each hour: quiet nights, a peak in the evening.
    private static let hours = [1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 7, 6, 5, 5, 6, 7, 8, 9, 8, 5, 3, 2]

    struct Day: Sendable, CustomTestStringConvertible {
        let customers: Int
        let keepsBIN: Bool
        /// The most that may be refused.
        let bound: Int

        var testDescription: String { "\(customers) customers, \(keepsBIN ? "six and four" : "four") digits kept" }
    }

    /// Submissions that were refused, out of all.
    private static func refusals(_ day: Day) throws -> Int {
        let counter = try GuessCounter(key: [UInt8](repeating: 9, count: 32))
        var state: UInt64 = 42
        func random() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) / Double(1 << 53)
        }
        let total = hours.reduce(0, +)
        var refused = 0
        var lastCards: [(value: String, kept: String)] = []
        for (hour, share) in hours.enumerated() {
            let count = day.customers * share / total
            for index in 0..<count {
                let now = Int64(hour * 3_600 + index * 3_600 / max(count, 1))
                // Every tenth submission is a card again that was submitted before: a customer who corrects the CVC.
                let card: (value: String, kept: String)
                if random() < 0.1, !lastCards.isEmpty {
                    card = lastCards[Int(random() * Double(lastCards.count))]
                } else {
                    let draw = random()
                    let bin = bins.first { draw <= $0.upTo }?.bin ?? 400_000
                    let last4 = 10_000 + Int(random() * 10_000)
                    let middle = 1_000_000 + Int(random() * 1_000_000)
                    let four = String(last4).dropFirst()
                    card = ("\(bin)\(String(middle).dropFirst())\(four)", day.keepsBIN ? "\(bin)\(four)" : String(four))
                    lastCards.append(card)
                    if lastCards.count > 100 { lastCards.removeFirst() }
                }
                let pattern = GuessPattern(
                    format: day.keepsBIN ? "FPE_SIX_T_FOUR" : "FPE_T_FOUR", length: 16, kept: card.kept)
                let clocks = GuessCounter.Clocks(monotonic: now, unix: 1_700_000_000 + now)
                if try counter.submit(card.value, for: [pattern], by: [.credential("shop")], at: clocks) != .allowed {
                    refused += 1
                }
            }
        }
        return refused
    }

    @Test(arguments: [
        Day(customers: 20_000, keepsBIN: true, bound: 0), Day(customers: 100_000, keepsBIN: true, bound: 0),
        Day(customers: 100_000, keepsBIN: false, bound: 0),
    ])
    func isNotStopped(day: Day) throws {
        let refused = try Self.refusals(day)
        #expect(refused <= day.bound)
    }
}
