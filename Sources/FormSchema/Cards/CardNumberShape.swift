/// Tells card numbers from other numbers by their shape, for the guard (DESIGN section 6a): a prefix of the catalogue `vgs`, a
/// length of that brand, and the checksum.
package enum CardNumberShape {
    /// How many digits a card number has.
    package static let lengths = 12...19

    /// Whether these ASCII digits are a card number.
    ///
    /// The checksum is required of every brand, also of those whose numbers may lack it: without it one number in a hundred
    /// would be a find.
    package static func matches(_ digits: Span<UInt8>) -> Bool {
        guard lengths.contains(digits.count), passesLuhn(digits) else { return false }
        let number = NumberPrefixes(digits: digits)
        for brand in CardBrands.vgsTable {
            for range in brand.prefixes where range.contains(number) { return brand.lengths.contains(digits.count) }
        }
        return false
    }
}
