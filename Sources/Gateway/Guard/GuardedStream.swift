/// The guard of a streamed body. A class, since the body is read after the call has returned; `@unchecked Sendable` is sound because one
/// task uses it, the one that reads the body.
final class GuardedStream: @unchecked Sendable {
    private var panFilter: PANFilter
    private var isRecorded = false
    private let record: (_ count: Int, _ places: [Int]) -> Void

    init(_ filter: PANFilter, record: @escaping (_ count: Int, _ places: [Int]) -> Void) {
        panFilter = filter
        self.record = record
    }

    /// A body may break off, or its reader go away: what has been passed on by then is recorded.
    deinit { recordFinds() }

    func filter(_ piece: [UInt8], isLast: Bool, breaksOff: Bool) -> [UInt8]? {
        let before = panFilter.found
        let filtered = panFilter.filter(piece, isLast: isLast)
        // At the end, or at once if there is to be no end.
        let mustEnd = breaksOff && panFilter.found > before
        if isLast || mustEnd { recordFinds() }
        return mustEnd ? nil : filtered
    }

    private func recordFinds() {
        guard panFilter.found > 0, !isRecorded else { return }
        isRecorded = true
        record(panFilter.found, panFilter.places)
    }
}
