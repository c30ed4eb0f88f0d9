import Synchronization

/// Tells the writer whether a reader still looks at a state of the database from before the last merge.
final class SnapshotGate: Sendable {
    private let merges = Atomic(0)
    private let oldest = Atomic(Int.max)

    init() {}

    /// To be called by the reader before it begins a transaction.
    func enter() { oldest.store(merges.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent) }

    /// To be called by the reader after the end of its transaction.
    func leave() { oldest.store(.max, ordering: .sequentiallyConsistent) }

    /// To be called by the writer after it has committed a merge.
    func merged() { merges.add(1, ordering: .sequentiallyConsistent) }

    /// Whether all readers see what was merged last.
    var isLastMergeSeen: Bool {
        oldest.load(ordering: .sequentiallyConsistent) >= merges.load(ordering: .sequentiallyConsistent)
    }
}
