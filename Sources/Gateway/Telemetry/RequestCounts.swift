/// What one loop counts of the requests that it answers. The loops would wait for each other if they counted in one place.
final class RequestCounts: Sendable {
    /// By kind and class of status, `kind × 5 + class − 1`.
    private let answers = (0..<EndpointKind.allCases.count * 5).map { _ in Counter() }
    private let latencies = EndpointKind.allCases.map { _ in LatencyHistogram() }

    func count(_ kind: EndpointKind, status: Int) { answers[Self.index(kind, class: status / 100)].add() }

    func record(_ kind: EndpointKind, microseconds: Int64) {
        latencies[kind.index].record(microseconds: microseconds)
    }

    func answers(_ kind: EndpointKind, class statusClass: Int) -> Int {
        answers[Self.index(kind, class: statusClass)].value
    }

    func latencies(_ kind: EndpointKind) -> LatencyHistogram.Snapshot { latencies[kind.index].snapshot }

    private static func index(_ kind: EndpointKind, class statusClass: Int) -> Int {
        kind.index * 5 + min(max(statusClass, 1), 5) - 1
    }
}
