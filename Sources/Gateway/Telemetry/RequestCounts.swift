/// The request counters of one loop. Each loop has its own, because atomics that several cores write to are slow.
final class RequestCounts: Sendable {
    /// By URL pattern and class of status, `pattern × 5 + class − 1`.
    private let responses = (0..<Endpoint.Pattern.allCases.count * 5).map { _ in Counter() }
    private let latencies = Endpoint.Pattern.allCases.map { _ in LatencyHistogram() }

    func count(_ pattern: Endpoint.Pattern, status: Int) {
        responses[Self.index(pattern, class: status / 100)].add()
    }

    func record(_ pattern: Endpoint.Pattern, microseconds: Int64) {
        latencies[pattern.rawValue].record(microseconds: microseconds)
    }

    func responses(_ pattern: Endpoint.Pattern, class statusClass: Int) -> Int {
        responses[Self.index(pattern, class: statusClass)].value
    }

    func latencies(_ pattern: Endpoint.Pattern) -> LatencyHistogram.Snapshot { latencies[pattern.rawValue].snapshot }

    private static func index(_ pattern: Endpoint.Pattern, class statusClass: Int) -> Int {
        pattern.rawValue * 5 + min(max(statusClass, 1), 5) - 1
    }
}
