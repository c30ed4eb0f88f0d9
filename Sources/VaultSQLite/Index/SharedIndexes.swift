/// The parts of the indexes that all connections of a process share.
final class SharedIndexes: Sendable {
    let hash: SipHash
    let gate = SnapshotGate()
    private let young = StoreIndex.allCases.map { _ in YoungIndex() }

    init(hash: SipHash) {
        self.hash = hash
    }

    /// The part in memory.
    func young(_ index: StoreIndex) -> YoungIndex { young[index.rawValue] }
}
