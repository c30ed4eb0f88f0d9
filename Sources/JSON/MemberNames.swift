/// Finds member names that are given twice. The first names are compared with each other; beyond these, names are hashed, so that
/// an object with a hundred thousand members is read in linear time. The hash has a random key for each process: names that
/// collide can't be prepared.
struct MemberNames {
    /// A name in the table.
    private struct Slot {
        var hash: UInt32 = 0
        /// Of the name's mark; 0 if the slot is free, since the first mark is the object's own.
        var mark: UInt32 = 0
    }

    private static let comparedAtMost = 16
    private let object: Int
    private var count = 0
    /// A power of two, at most half of them taken. A name's slot is the one of its hash, or the next that is free: nothing is allocated
    /// for each name.
    private var slots: [Slot] = []

    /// - Parameter object: its mark.
    init(of object: Int) { self.object = object }

    /// Whether the name that was read last is a new one in the object.
    mutating func admitsLast(of reader: borrowing JSONReader, _ bytes: Span<UInt8>) -> Bool {
        let last = reader.marks.count - 1
        defer { count += 1 }
        if count < Self.comparedAtMost {
            var name = object + 1
            let marks = reader.marks.span
            while name < last {
                if reader.sameString(marks[name], marks[last], bytes) { return false }
                name = marks.end(of: name + 1)
            }
            return true
        }
        if slots.isEmpty {
            slots = [Slot](repeating: Slot(), count: 4 * Self.comparedAtMost)
            var name = object + 1
            while name < last {
                _ = insert(name, of: reader, bytes)
                name = reader.marks.span.end(of: name + 1)
            }
        }
        if 2 * count >= slots.count { grow() }
        return insert(last, of: reader, bytes)
    }

    /// Whether the name was not there. There is a free slot.
    private mutating func insert(_ name: Int, of reader: borrowing JSONReader, _ bytes: Span<UInt8>) -> Bool {
        let hash = Self.hash(reader.marks[name], of: reader, bytes)
        var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[index].mark != 0 {
            if slots[index].hash == hash,
                reader.sameString(reader.marks[Int(truncatingIfNeeded: slots[index].mark)], reader.marks[name], bytes)
            {
                return false
            }
            index = (index + 1) & (slots.count - 1)
        }
        slots[index] = Slot(hash: hash, mark: UInt32(truncatingIfNeeded: name))
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: 2 * old.count)
        for slot in old where slot.mark != 0 {
            var index = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
            while slots[index].mark != 0 { index = (index + 1) & (slots.count - 1) }
            slots[index] = slot
        }
    }

    private static func hash(_ name: JSONMark, of reader: borrowing JSONReader, _ bytes: Span<UInt8>) -> UInt32 {
        var hasher = Hasher()
        if name.isPlainString {
            bytes.extracting(name.start..<name.end).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            reader.content(of: name, bytes).withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
