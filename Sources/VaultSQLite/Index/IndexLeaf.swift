/// The entries of one leaf, in order, as the bytes of a row: a count of two bytes, the entries, and zeros. All leaves have the same
/// size, and each fills a page: SQLite writes over it in its place and never has to balance its tree for it.
enum IndexLeaf {
    /// The largest row that a page of 4,096 bytes holds without an overflow page is 4,061 bytes, its header being of four.
    static let size = 4_052
    static let capacity = (size - 2) / IndexEntry.size

    /// The places of all entries with this hash; `nil` if the bytes are no leaf.
    static func places(of hash: UInt64, in bytes: UnsafeRawBufferPointer) -> [Int64]? {
        guard let count = count(bytes) else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if FiveBytes.read(bytes, at: offset(middle)) < hash { low = middle + 1 } else { high = middle }
        }
        var places: [Int64] = []
        while low < count, FiveBytes.read(bytes, at: offset(low)) == hash {
            places.append(Int64(FiveBytes.read(bytes, at: offset(low) + 5)))
            low += 1
        }
        return places
    }

    /// All entries; `nil` if the bytes are no leaf.
    static func entries(_ bytes: UnsafeRawBufferPointer) -> [IndexEntry]? {
        guard let count = count(bytes) else { return nil }
        return (0..<count).map { index in
            IndexEntry(
                hash: FiveBytes.read(bytes, at: offset(index)),
                place: Int64(FiveBytes.read(bytes, at: offset(index) + 5)))
        }
    }

    /// The bytes of a leaf with these entries, which are in order and not more than `capacity`.
    static func bytes(_ entries: ArraySlice<IndexEntry>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        bytes[0] = UInt8(truncatingIfNeeded: entries.count >> 8)
        bytes[1] = UInt8(truncatingIfNeeded: entries.count)
        for (index, entry) in entries.enumerated() {
            FiveBytes.write(entry.hash, to: &bytes, at: offset(index))
            FiveBytes.write(UInt64(entry.place), to: &bytes, at: offset(index) + 5)
        }
        return bytes
    }

    /// Both lists in one, in order, and what is in both of them once.
    static func merge(_ old: [IndexEntry], _ new: ArraySlice<IndexEntry>) -> [IndexEntry] {
        var merged: [IndexEntry] = []
        merged.reserveCapacity(old.count + new.count)
        var index = 0
        for entry in new {
            while index < old.count, old[index] < entry {
                merged.append(old[index])
                index += 1
            }
            if index < old.count ? old[index] != entry : true, merged.last != entry { merged.append(entry) }
        }
        merged += old[index...]
        return merged
    }

    /// Where to part so many entries that a leaf cannot hold them: beginnings of leaves that are two thirds full. Entries of one hash
    /// stay together: where many are the same there are fewer parts, and one may be larger than a leaf.
    static func parts(_ entries: [IndexEntry]) -> [Range<Int>] {
        guard entries.count > capacity else { return [0..<entries.count] }
        let number = (entries.count * 3 + capacity * 2 - 1) / (capacity * 2)
        var parts: [Range<Int>] = []
        var start = 0
        for part in 1...number where start < entries.count {
            var end = part == number ? entries.count : max(start + 1, entries.count * part / number)
            while end < entries.count, entries[end].hash == entries[end - 1].hash { end += 1 }
            parts.append(start..<end)
            start = end
        }
        return parts
    }

    private static func count(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count == size else { return nil }
        let count = Int(bytes[0]) << 8 | Int(bytes[1])
        return count <= capacity ? count : nil
    }

    private static func offset(_ index: Int) -> Int { 2 + index * IndexEntry.size }
}
