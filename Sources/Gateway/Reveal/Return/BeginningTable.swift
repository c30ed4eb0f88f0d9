import JSON

/// Which bytes may stand at the first, second and third place of a value of one call, however it is written: a set of bytes for each
/// of these places.
struct BeginningTable {
    /// Bits of an entry. Each of the five sets has eight bits; beginnings share them, so that some places pass that hold no value.
    fileprivate enum Bits {
        static let all: UInt64 = 0xFF
        /// Behind the first byte: the value's second.
        static let second: UInt64 = 8
        /// Behind the first byte: what separates digits, begins an escape, or makes a number of them.
        static let other: UInt64 = 16
        /// Behind the second byte.
        static let third: UInt64 = 24
        /// Behind one of the other bytes.
        static let thirdOther: UInt64 = 32
        static let escape: UInt64 = 1 << 62
        static let control: UInt64 = 1 << 63
    }

    /// An array: what is read of an inline one in a class is copied whole, each time.
    private(set) var entries = [UInt64](repeating: 0, count: 256)
    private var count = 0
    /// Pairs that are worth being compared one by one.
    static let comparedPairs = 8
    /// The first two bytes of the beginnings that are not escapes; at most one more than ``comparedPairs``.
    private(set) var pairs: [(UInt8, UInt8)] = []
    /// Whether those pairs, escapes and other bytes behind a first one are all beginnings.
    private(set) var arePairsEnough = true

    private static let escapes: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&")]
    private static let separators: [UInt8] = [0x20, UInt8(ascii: "-"), UInt8(ascii: "+"), 0xC2, 0xE2, 0xE3]
    /// Second bytes of the separators that have several (`WrittenCharacter.isSeparator`).
    private static let secondBytes: [UInt8] = [0x80, 0x81, 0xA0]
    private static let digits = Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
    private static let signs: [UInt8] = [UInt8(ascii: "+"), UInt8(ascii: "-")]
    private static let numberSigns: [UInt8] = [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")]

    init() {
        for byte in 0..<0x20 where Self.isControl(UInt8(truncatingIfNeeded: byte)) { entries[byte] |= Bits.control }
        for byte in Self.escapes { entries[Int(byte)] |= Bits.escape | Bits.all }
    }

    /// Whether a byte is none of text. Tabs, line breaks, form feeds, escapes of terminals and the separator of `application/json-seq`
    /// (RFC 7464) are.
    static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x09 || (0x0E..<0x20 ~= byte && byte != 0x1B && byte != 0x1E)
    }

    // MARK: Making it

    /// - Parameters:
    ///   - value: its bytes, without what groups them.
    ///   - isGrouped: whether spaces and hyphens may stand between them.
    mutating func add(_ value: [UInt8], isGrouped: Bool) {
        guard let first = value.first else { return }
        let bit = begin(first, second: value.count > 1 ? value[1] : nil)
        if first == 0x20 {
            // A form writes a space as a plus.
            entries[Int(UInt8(ascii: "+"))] |= bit
            arePairsEnough = false
        }
        let behind = bit << Bits.other | bit << Bits.third | bit << Bits.thirdOther
        insert(Self.escapes, behind)
        if isGrouped { insert(Self.separators, behind) }
        for index in 1..<min(value.count, 3) where value[index] == 0x20 { entries[Int(UInt8(ascii: "+"))] |= behind }
        guard value.count > 1 else { return }
        // Behind a space that a form writes as a plus.
        if value[1] == 0x20, value.count > 2 { entries[Int(value[2])] |= bit << Bits.thirdOther }
        if value == [first, 0x20] { insert(0...0xFF, bit << Bits.thirdOther) }
        entries[Int(value[1])] |= bit << Bits.thirdOther
        insert(Self.secondBytes, bit << Bits.thirdOther)
        if value.count > 2 { entries[Int(value[2])] |= bit << Bits.third } else { insert(0...0xFF, bit << Bits.third) }
    }

    /// A number with these digits, of any size.
    mutating func addNumber(_ digits: some Collection<UInt8>) {
        let digits = digits.drop { $0 == UInt8(ascii: "0") }
        var iterator = digits.makeIterator()
        let bit = begin(iterator.next() ?? UInt8(ascii: "0"), second: digits.dropFirst().first)
        _ = iterator.next()
        insert(Self.numberSigns, bit << Bits.other | bit << Bits.third)
        insert(Self.digits, bit << Bits.thirdOther)
        insert(Self.signs, bit << Bits.thirdOther)
        if let third = iterator.next() {
            entries[Int(third)] |= bit << Bits.third
        } else {
            insert(0...0xFF, bit << Bits.third)
        }
    }

    /// `0.4111e16`
    mutating func addFractions() {
        let bit = begin(UInt8(ascii: "0"), second: UInt8(ascii: "."))
        insert(Self.digits, bit << Bits.third)
    }

    /// A beginning's bit, which stands in the sets of its first two bytes.
    ///
    /// - Parameter second: nil if any byte may follow.
    private mutating func begin(_ first: UInt8, second: UInt8?) -> UInt64 {
        let bit: UInt64 = 1 << UInt64(count & 7)
        count += 1
        entries[Int(first)] |= bit
        if let second {
            entries[Int(second)] |= bit << Bits.second
            if pairs.count <= Self.comparedPairs, !pairs.contains(where: { $0 == (first, second) }) {
                pairs.append((first, second))
            }
        } else {
            arePairsEnough = false
            insert(0...0xFF, bit << Bits.second | bit << Bits.third)
        }
        return bit
    }

    @inline(__always)
    private mutating func insert(_ bytes: some Sequence<UInt8>, _ bits: UInt64) {
        for byte in bytes { entries[Int(byte)] |= bits }
    }

    /// Whether the two bytes may begin an escape that stands for a character in a way of its own.
    fileprivate static func mayBeEscape(_ sign: UInt8, _ next: UInt8) -> Bool {
        switch sign {
        case UInt8(ascii: "%"): next.isDigit || (next | 0x20) &- 0x61 < 6
        case UInt8(ascii: "&"): next == UInt8(ascii: "#") || next.isASCIIAlphanumeric
        // Any letter: a value may begin with a quote or a line break.
        default: true
        }
    }
}

extension Span where Element == UInt8 {
    /// Whether a value or a number may begin at this place, or a byte stands there that no text holds.
    ///
    /// - Parameter entries: those of a ``BeginningTable``.
    @inline(__always)
    func mayBegin(at position: Int, _ entries: Span<UInt64>) -> Bool {
        let first = entries[Int(self[position])]
        if first & (BeginningTable.Bits.all | BeginningTable.Bits.control) == 0 { return false }
        return mayGoOn(from: position, first, entries)
    }

    private func mayGoOn(from position: Int, _ first: UInt64, _ entries: Span<UInt64>) -> Bool {
        typealias Bits = BeginningTable.Bits
        guard first & Bits.control == 0, position + 1 < count else { return true }
        if first & Bits.escape != 0, BeginningTable.mayBeEscape(self[position], self[position + 1]) { return true }
        let second = entries[Int(self[position + 1])]
        let plain = first & second >> Bits.second & Bits.all
        let other = first & second >> Bits.other & Bits.all
        if plain | other == 0 { return false }
        guard position + 2 < count, second & Bits.escape == 0 || other == 0 else { return true }
        let third = entries[Int(self[position + 2])]
        return plain & third >> Bits.third | other & third >> Bits.thirdOther != 0
    }
}
