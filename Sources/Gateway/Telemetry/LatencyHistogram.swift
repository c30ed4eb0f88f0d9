/// A Prometheus histogram of durations.
final class LatencyHistogram: Sendable {
    /// Upper bounds in microseconds; the last bucket has none.
    static let bounds: [Int64] = [500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000]

    private let buckets: [Counter] = (0...LatencyHistogram.bounds.count).map { _ in Counter() }
    private let sum = Counter()

    func record(microseconds: Int64) {
        var bucket = 0
        for bound in Self.bounds {
            if microseconds <= bound { break }
            bucket += 1
        }
        buckets[bucket].add()
        sum.add(Int(microseconds))
    }

    /// The counts at one moment.
    struct Snapshot {
        /// Of each bucket alone, not cumulative.
        var counts = [Int](repeating: 0, count: LatencyHistogram.bounds.count + 1)
        /// In microseconds.
        var sum = 0

        static func += (all: inout Snapshot, one: Snapshot) {
            for index in all.counts.indices { all.counts[index] += one.counts[index] }
            all.sum += one.sum
        }
    }

    var snapshot: Snapshot { Snapshot(counts: buckets.map(\.value), sum: sum.value) }
}
