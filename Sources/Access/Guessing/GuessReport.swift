import Crypto

/// One distinct value that a caller submitted for a pattern, told to the other processes of a shared vault. It holds
/// keyed digests alone: without the vault's key it says nothing of caller, pattern or value.
public struct GuessReport: Sendable, Hashable {
    /// Digest of caller and pattern.
    let entry: UInt64
    /// Digest of the value, for this caller and pattern.
    let value: UInt32
    /// Unix seconds.
    let at: Int64

    /// Bytes of a report.
    public static let size = 20

    /// For a store to keep: entry, value, time, most significant byte first.
    public var bytes: [UInt8] {
        entry.bigEndianBytes + value.bigEndianBytes + at.bigEndianBytes
    }

    /// Nil if the bytes are none of a report.
    public init?(bytes: some Collection<UInt8>) {
        var rest = Array(bytes)[...]
        guard let entry = rest.takeBigEndian(UInt64.self), let value = rest.takeBigEndian(UInt32.self),
            let at = rest.takeBigEndian(Int64.self), rest.isEmpty
        else { return nil }
        self.init(entry: entry, value: value, at: at)
    }

    init(entry: UInt64, value: UInt32, at: Int64) {
        self.entry = entry
        self.value = value
        self.at = at
    }
}
