/// A small row about callers that all processes of a vault share: how often a session was used, that it was ended, or a
/// guess that was counted. It holds no value and is not sealed: its content is made of random ids and keyed digests. In a store it
/// stands behind a tag (`Sealer+Access.swift`).
public struct AccessRecord: Sendable, Equatable {
    /// What it is about.
    public enum Kind: Int64, Sendable, CaseIterable {
        /// The uses of a session.
        case uses = 1
        /// The early end of a session.
        case ending = 2
        /// A value that a caller submitted for a pattern of kept digits.
        case guess = 3
    }

    /// What it is about.
    public let kind: Kind
    /// Names the row among those of its kind.
    public let name: [UInt8]
    /// What is known; its form is the kind's.
    public let content: [UInt8]
    /// Unix seconds at which the row may be erased.
    public let forgottenAt: Int64

    /// A record that may be forgotten from a moment on, in Unix seconds.
    public init(_ kind: Kind, name: [UInt8], content: [UInt8] = [], forgottenAt: Int64) {
        self.kind = kind
        self.name = name
        self.content = content
        self.forgottenAt = forgottenAt
    }
}

/// What a reading of the newest rows of a kind found.
public struct AccessReading: Sendable {
    /// Those that were read.
    public let records: [AccessRecord]
    /// The names of rows of the kind that are not what a vault wrote.
    public let damaged: [[UInt8]]
    /// The time of the reading by the store's clock, in Unix milliseconds: the start of the next reading.
    public let readAt: Int64

    package init(records: [AccessRecord], damaged: [[UInt8]] = [], readAt: Int64) {
        self.records = records
        self.damaged = damaged
        self.readAt = readAt
    }

    /// Milliseconds that a reading looks further back than it was asked to: rows get their time before they are committed.
    package static let overlap: Int64 = 30_000
}
