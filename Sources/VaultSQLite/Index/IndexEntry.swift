/// One entry of an index: the hash of what is looked for, and the place of a row that may have it.
///
/// An index finds candidates, and the row itself decides: 40 bits of hash are enough, as a row in 300,000 look-ups at three million
/// entries is read in vain, and no collision can make two texts one.
struct IndexEntry: Comparable, Hashable, Sendable {
    /// Bytes of an entry where it is stored: five of hash, five of place.
    static let size = 10
    /// Hashes and places are below this.
    static let limit: UInt64 = 1 << 40

    /// 40 bits, never 0.
    let hash: UInt64
    /// What the owner of the index takes for the place of a row: 40 bits.
    let place: Int64

    static func < (one: IndexEntry, other: IndexEntry) -> Bool {
        one.hash == other.hash ? one.place < other.place : one.hash < other.hash
    }
}

extension SipHash {
    /// The hash of an index entry: 40 bits. 0 is left out, which marks an entry that is not there where hashes are stored by position.
    func indexHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { max(1, hash(bytes) >> 24) }

    func indexHash(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { indexHash(UnsafeRawBufferPointer($0)) }
    }

    func indexHash(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { indexHash($0) } }
}

/// Numbers of 40 bits in five bytes, most significant first.
enum FiveBytes {
    static func read(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))) << 8
            | UInt64(bytes[offset + 4])
    }

    static func write(_ number: UInt64, to bytes: inout [UInt8], at offset: Int) {
        for index in 0..<5 { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt64(32 - 8 * index)) }
    }
}
