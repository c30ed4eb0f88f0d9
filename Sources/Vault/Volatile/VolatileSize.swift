import Sensitive

/// The places that a volatile value takes: one for each KiB, or part of one, of it and its classifiers. The first is that of its first alias,
/// and each other alias takes one more. So a limit on places is one on bytes as well, and on the small values that are usual a limit on
/// aliases.
struct VolatileSize {
    private static let bytesPerPlace = 1_024

    /// Places beside those of the aliases. They are held for as long as the value lives.
    let further: Int

    /// - Parameter value: bytes of the value.
    init(value: Int, classifiers: [String]) {
        let bytes = classifiers.reduce(value) { $0 + $1.utf8.count }
        further = max(0, bytes - 1) / Self.bytesPerPlace
    }

    init(_ value: SensitiveText, classifiers: [String]) {
        self.init(value: value.exposed.utf8.count, classifiers: classifiers)
    }
}

extension VaultItem {
    /// Places that its value takes beside that of its alias; 0 for what takes none at all, or has classifiers that are refused.
    public var furtherPlaces: Int {
        guard case .value(let value, _, let classifiers, .volatile, _) = self, !value.isEmpty else { return 0 }
        let distinct = classifiers.distinctByBytes
        return distinct.areSuitable ? VolatileSize(value, classifiers: distinct).further : 0
    }
}

/// Places in a caller's share that are held for as long as a volatile value lives.
public struct FurtherPlaces: Sendable {
    /// Gives them back when it goes.
    let object: any AnyObject & Sendable
    let count: Int

    /// - Parameter object: gives them back in its `deinit`.
    public init(_ object: any AnyObject & Sendable, count: Int) {
        self.object = object
        self.count = count
    }
}
