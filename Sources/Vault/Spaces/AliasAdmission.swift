/// What a caller may do to what others share (`docs/reference/access.md` sections 1 and 4). Asked before an alias is drawn from a narrow space
/// that is filling up, so that one caller cannot use up the aliases of all others; spaces in which no draw has ever met a taken alias are
/// far from full, and are not asked about. And asked before a stored value is changed because it was sent again.
public struct AliasAdmission: Sendable {
    /// A narrow space: the aliases that one format can give to all values with the same kept characters.
    public struct Space: Sendable {
        /// The format of the aliases.
        public let format: AliasFormat
        /// The same for the same space, under a seed of the process.
        public let id: Int
        /// All aliases.
        public let size: Int
        /// Those that are taken: an estimate until the free ones have been listed.
        public let used: Int
        /// Where their values are kept.
        public let storage: Storage
    }

    /// The largest space that is narrow: six digits.
    static let largest = 1_000_000.0

    /// Whether the caller names the classifiers of what it stores: then a value takes no more of them than one may have. Those that a form
    /// or a route adds are few, and a value must not be refused to it because others have labelled it.
    let givesClassifiers: Bool
    private let wait: @Sendable (Space) -> Int?
    private let reaches: @Sendable (_ classifiers: [String]) -> Bool

    /// - Parameters:
    ///   - givesClassifiers: whether the caller names the classifiers of what it stores.
    ///   - reaches: whether the caller may change a value with these classifiers.
    ///   - wait: returns nil if the caller may have another alias of the space, or else the seconds until it may.
    public init(
        givesClassifiers: Bool = false, reaches: @escaping @Sendable (_ classifiers: [String]) -> Bool = { _ in true },
        _ wait: @escaping @Sendable (Space) -> Int?
    ) {
        self.givesClassifiers = givesClassifiers
        self.reaches = reaches
        self.wait = wait
    }

    func requireReach(_ classifiers: [String]) throws(VaultError) {
        if !reaches(classifiers) { throw .outOfReach }
    }

    func require(_ space: AliasSpace, _ storage: Storage, in ledger: SpaceLedger) throws(VaultError) {
        guard space.size <= Self.largest, let fullness = ledger.fullness(of: space) else { return }
        let asked = Space(
            format: space.format, id: space.hashValue, size: Int(space.size), used: Int(space.size * fullness),
            storage: storage)
        if let seconds = wait(asked) { throw .aliasShareUsed(space.format, retryAfter: seconds) }
    }
}
