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
        [entry, UInt64(value) << 32 | UInt64(truncatingIfNeeded: at >> 32)].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        } + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: at >> $0) }
    }

    /// Nil if the bytes are none of a report.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        let bytes = Array(bytes)
        entry = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        value = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        at = bytes[12..<20].reduce(0) { $0 << 8 | Int64($1) }
    }

    init(entry: UInt64, value: UInt32, at: Int64) {
        self.entry = entry
        self.value = value
        self.at = at
    }
}
