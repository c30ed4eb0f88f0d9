/// How an embedded vault is kept.
public struct SQLiteStoreConfiguration: Sendable {
    /// What the names of a vault's files have behind `path`: the database, what SQLite keeps beside it, and the lock.
    public static let suffixes = ["", "-wal", "-shm", "-journal", ".lock"]

    /// The database file. The others stand beside it.
    public var path: String
    /// Requests that may wait for the writer, and for the reader; beyond that they are refused as `overloaded`.
    public var queueLimit = 8_192
    /// Requests that share one commit at most.
    public var batchLimit = 1_024
    /// Page cache of the writer in KiB; the reader gets a quarter. Taken only as it is used.
    public var cacheSize = 16_384
    /// Pages in the log after which they are moved into the database.
    public var checkpointPages = 4_096
    /// Pages that may be left in the log for the writer to move.
    public var checkpointRest = 128
    /// Rows after which every bucket of the indexes has been merged once. A larger round means fewer writes a row, but more memory and a
    /// longer start.
    public var mergeRound = 1 << 19
    /// After what time what was deleted has left the files (`vault.erase.within`).
    public var eraseWithin = Duration.seconds(5)
    /// Told how many values of a vault of format 2 have been converted since the start, and how many there are in all.
    public var upgradeProgress: (@Sendable (_ converted: Int, _ all: Int) -> Void)?
    /// How many pages of 4 KiB the database may grow to; `nil` for 128 GiB.
    public var maximumPages: Int?

    /// The defaults, for a vault at `path`.
    public init(path: String) {
        self.path = path
    }
}
