/// Where volatile values live if several processes share them: a server that keeps them in memory and forgets each at its end.
///
/// It sees names and sealed bytes alone: names of values are random, those of aliases are codes under a key of the vault.
public protocol SharedVolatileStore: Sendable {
    /// Why the server could not do what it was last asked for; nil if it could. Asks nothing of it.
    var failure: VaultError? { get }

    /// How many aliases were alive when the server last said so.
    var count: Int { get }

    /// How many places they and their values took then.
    var places: Int { get }

    /// The sealed values that these aliases stand for, in the order of the aliases; nil for those that are unknown. A value that several
    /// name is held once. Throws `revealTooLarge`, before it reads what is large, if they have no room.
    ///
    /// - Parameters:
    ///   - vault: names the vault; several may use one server.
    ///   - room: nil where they are not revealed.
    func values(
        ofAliases names: [String], in vault: String, room: RevealRoom?
    ) async throws(VaultError) -> [SharedVolatileValue?]

    /// Makes all changes, or none. Throws `volatileStorageFull` if more than `capacity` places would be taken, and more than before;
    /// `outcomeUnknown` if the connection broke before the server had responded.
    func apply(
        _ changes: [SharedVolatileChange], in vault: String, capacity: Int
    ) async throws(VaultError) -> SharedVolatileOutcome

    /// Some of the vault's values, each once, in no order, and where to go on; nil if that were all. A value that is there throughout is among
    /// those of at least one page.
    func values(from cursor: String?, in vault: String) async throws(VaultError) -> SharedVolatilePage

    /// Counts the aliases that are alive and the places that are taken, and checks the server's settings and that it can store. To be
    /// called regularly: it notices that a server has recovered or was changed.
    func check(_ vault: String) async throws(VaultError)

    /// Ends the connection.
    func close()
}

extension SharedVolatileStore {
    /// As `values(ofAliases:in:room:)`, for what is not revealed.
    public func values(ofAliases names: [String], in vault: String) async throws(VaultError) -> [SharedVolatileValue?] {
        try await values(ofAliases: names, in: vault, room: nil)
    }
}

/// A value as the server keeps it.
public struct SharedVolatileValue: Sendable {
    /// 32 hexadecimal digits.
    public let name: String
    /// `nonce ‖ ciphertext ‖ tag`.
    public let sealed: [UInt8]

    /// Pairs a name with what is stored under it.
    public init(name: String, sealed: [UInt8]) {
        self.name = name
        self.sealed = sealed
    }
}

/// Values and where a walk over them goes on.
public struct SharedVolatilePage: Sendable {
    /// Those of the page.
    public let values: [SharedVolatileValue]
    /// Nil at the end.
    public let next: String?

    /// A part of a walk.
    public init(values: [SharedVolatileValue], next: String?) {
        self.values = values
        self.next = next
    }
}

/// What is to happen to one value.
public struct SharedVolatileChange: Sendable {
    /// The value's name.
    public let name: String
    /// What must be stored under it for any of the changes to be made; nil for nothing.
    public var expected: [UInt8]?
    /// What is stored then; nil to remove the value.
    public var replacement: Replacement?
    /// Names of aliases that it loses.
    public var removed: [String] = []

    /// A value as it is stored from then on.
    public struct Replacement: Sendable {
        /// `nonce ‖ ciphertext ‖ tag`.
        public var sealed: [UInt8]
        /// How long a new value lives, in milliseconds, at least 1. One that exists lives no longer than it would have.
        public var lifetime: Int64
        /// Names of aliases that it gets, which must be free.
        public var added: [String] = []
        /// Places that the value takes beside those of its aliases. Where it took more before, it keeps them until it ends.
        public var further = 0
    }
}

/// What became of changes.
public enum SharedVolatileOutcome: Sendable {
    /// All were made.
    case applied
    /// None was: a value is not what was expected any more, or an alias is taken.
    case overtaken
}
