public import Vault

/// One row among many holds what was never written: whatever goes through all values goes on behind it, and says that it is there.
public struct UnreadableRowRun {
    private var others: [String] = []
    /// The alias whose value's row is to be made unreadable.
    public private(set) var alias = ""

    /// Fills a vault with more values than one step looks at.
    public init(_ vault: Vault) async throws {
        for first in stride(from: 0, to: 600, by: 20) {
            let items = (first..<first + 20).map { VaultItem.new("value \($0)", .uuid, ["class \($0 % 2)"]) }
            others += try await vault.create(items).map { $0.aliases[0].alias }
        }
        alias = others.remove(at: 300)
    }

    /// What each way through all values did, to be compared with ``expected``.
    public struct Outcome: Equatable, Sendable {
        public var rewrapped: Int
        public var leftUnderOldKey: Int
        public var erased: Int
        public var damaged: Int
        public var revealed: Int
    }

    /// Of the 599 others half carry the classifier that is erased; the alias was that of an even value.
    public static let expected = Outcome(rewrapped: 599, leftUnderOldKey: 1, erased: 300, damaged: 1, revealed: 299)

    /// Seals all values again, erases those of a classifier, and reveals what is left.
    public func outcome(in vault: Vault) async throws -> Outcome {
        try await vault.rotateKey()
        let before = try await vault.rewrapRemainder().values
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position) }
        let left = try await vault.rewrapRemainder().values
        let erasure = try await vault.beginErasure(
            classifier: "class 1", storage: nil, requestID: "r", credential: "c")
        var last = erasure
        while last.finishedAt == nil {
            guard let next = try await vault.advance(erasure: erasure.id) else { break }
            last = next
        }
        let revealed = try await vault.lookUp(others).count
        return Outcome(
            rewrapped: before - left, leftUnderOldKey: left, erased: last.values, damaged: last.damaged,
            revealed: revealed)
    }
}
