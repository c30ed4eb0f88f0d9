import Synchronization

/// Tells the writer whether the reader's open transaction began before a merge, or before a commit that removed entries: it then still reads
/// the old rows. A vault has one reader. Merges and such commits are counted together, as changes.
final class SnapshotGate: Sendable {
    private let changes = Atomic(0)
    private let lastMerge = Atomic(0)
    private let oldest = Atomic(Int.max)

    init() {}

    /// To be called by the reader before it begins a transaction.
    func enter() { oldest.store(changes.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent) }

    /// To be called by the reader after the end of its transaction.
    func leave() { oldest.store(.max, ordering: .sequentiallyConsistent) }

    /// To be called by the writer after it has committed a merge.
    func merged() { lastMerge.store(changed(), ordering: .sequentiallyConsistent) }

    /// To be called by the writer after a commit that has removed entries. Returns the number of the change.
    func changed() -> Int { changes.add(1, ordering: .sequentiallyConsistent).newValue }

    /// Whether the reader sees this change, and those before it, or looks at nothing.
    func isSeen(_ change: Int) -> Bool { oldest.load(ordering: .sequentiallyConsistent) >= change }

    /// Whether the reader sees what was merged last, or looks at nothing.
    var isLastMergeSeen: Bool { isSeen(lastMerge.load(ordering: .sequentiallyConsistent)) }
}
