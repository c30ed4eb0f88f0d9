/// Tells card numbers from other numbers by their shape, for the guard (`docs/reference/proxy.md` section 10): a prefix of the catalogue
/// `vgs`, a length of that brand, and the checksum.
package enum CardNumberShape {
    /// How many digits a card number has.
    package static let lengths = 12...19

    /// Whether these ASCII digits are a card number.
    ///
    /// The checksum is required of every brand, also of those whose numbers may lack it: without it one number in a hundred
    /// would be a find.
    package static func matches(_ digits: Span<UInt8>) -> Bool {
        guard lengths.contains(digits.count), passesLuhn(digits) else { return false }
        var values = InlineArray<7, UInt32>(repeating: 0)
        for index in 0..<6 { values[index + 1] = 10 &* values[index] &+ UInt32(digits[index] &- 0x30) }
        let prefixes = table[Int(digits[0] &- 0x30)]
        // The first brand in order with a matching prefix decides.
        for index in prefixes.indices where prefixes[index].contains(values) {
            return prefixes[index].lengths & 1 << UInt32(digits.count) != 0
        }
        return false
    }

    /// A range of prefixes as plain numbers: asked for every number with a checksum, it must not retain anything.
    private struct Prefix {
        let digits: Int
        let low: UInt32
        let high: UInt32
        /// Of longer beginnings that do not belong to it; 0 digits if there are none.
        let exceptDigits: Int
        let except: UInt32
        /// A bit for each length.
        let lengths: UInt32

        init(_ range: PrefixRange, lengths: [Int]) {
            digits = min(range.digits, 6)
            low = UInt32(truncatingIfNeeded: range.low)
            high = UInt32(truncatingIfNeeded: range.high)
            exceptDigits = min(range.except?.utf8.count ?? 0, 6)
            except = range.except.flatMap { UInt32($0) } ?? 0
            self.lengths = lengths.reduce(0) { $0 | 1 << UInt32($1) }
        }

        @inline(__always)
        func contains(_ values: InlineArray<7, UInt32>) -> Bool {
            let value = values[digits]
            return low <= value && value <= high && (exceptDigits == 0 || values[exceptDigits] != except)
        }
    }

    /// By the first digit, in order of brands. The catalogue has no prefix of more than six digits.
    private static let table: [[Prefix]] = {
        var table = [[Prefix]](repeating: [], count: 10)
        for brand in CardBrands.vgsTable {
            for range in brand.prefixes {
                var first = range.low
                var last = range.high
                while last >= 10 { (first, last) = (first / 10, last / 10) }
                for digit in first...last { table[Int(digit)].append(Prefix(range, lengths: brand.lengths)) }
            }
        }
        return table
    }()
}
