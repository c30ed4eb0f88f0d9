import JSON

/// One value that a call has revealed, as it is looked for in the response (docs/reference/proxy.md section 7).
struct RevealedValue {
    /// Where an occurrence counts. A short value also occurs by chance: what is replaced then is not the value, and the response is
    /// spoilt.
    enum Reach {
        /// Up to two characters, such as a month: only where it is a whole text, number, header, or value of a form.
        case wholeText
        /// Up to eight, such as a CVC or a year: where no letter, digit or underscore adjoins it, and it is no part of what its ``Kind``
        /// may be a part of.
        case word
        /// Everywhere, also within longer digits and words.
        case anywhere
    }

    /// What a short value is by its characters: that decides what else than the value may hold them.
    enum Kind {
        /// Digits, apart from what groups them: they may belong to a number with a point, a date, a time, an address with its port, or an
        /// identifier with hyphens.
        case digits
        /// A word has characters that none of those numbers has, but an identifier with hyphens may hold it.
        case word
        /// A name with a space in it, which no identifier has.
        case phrase
    }

    /// What stands in its place.
    let alias: String
    let reach: Reach
    let kind: Kind
    /// Without spaces and hyphens, if those may stand between any two of its characters.
    let isGrouped: Bool
    /// With its own spaces and hyphens, where they are more than are passed over; else nil.
    let asItIs: [UInt8]?
    /// The bytes behind those that the trie holds.
    let rest: [UInt8]
    /// Those that the trie holds.
    let beginning: [UInt8]
    /// Whether it is digits, apart from what groups them, and also looked for as a number, which has no zeros in front: only if enough
    /// digits are left without them. Else each `1` would be the code `001`.
    let isNumber: Bool

    /// Bytes of a value that are found one by one. Behind them there is no doubt, and the rest is compared.
    static let beginningLimit = 64
    /// A longer value with fewer digits than this is not looked for with spaces or hyphens between its characters.
    private static let groupedDigits = 4
    /// Fewer digits than this are common enough to stand somewhere by chance: the year `2030` in `20-30`, a long account number with
    /// nothing but zeros in front as an amount.
    private static let rareDigits = 6

    init(_ value: String, alias: String) {
        self.alias = alias
        let bytes = Array(value.utf8)
        let plain = bytes.filter { $0 != 0x20 && $0 != 0x2D }
        let digits = plain.count { $0.isDigit }
        let isDigits = digits == plain.count && digits > 0
        reach = Self.reach(isDigits ? plain[...] : bytes[...])
        kind = isDigits ? .digits : value.unicodeScalars.contains(where: \.properties.isWhitespace) ? .phrase : .word
        let significant = plain.drop { $0 == UInt8(ascii: "0") }
        isNumber =
            isDigits
            && (reach == .anywhere
                ? significant.count >= Self.rareDigits
                : significant.count == plain.count || Self.reach(significant) != .wholeText)
        isGrouped =
            plain.count <= Self.beginningLimit
            && (reach == .anywhere ? digits >= Self.groupedDigits : isDigits && digits >= Self.rareDigits)
        asItIs = isGrouped && bytes.count <= Self.beginningLimit && Self.isWide(bytes) ? bytes : nil
        let sought = isGrouped ? plain : bytes
        // Nearly all values are short, and are not copied.
        let isShort = sought.count <= Self.beginningLimit
        // Between two characters.
        var end = Self.beginningLimit
        while !isShort, sought[end] & 0xC0 == 0x80 { end -= 1 }
        beginning = isShort ? sought : Array(sought[..<end])
        rest = isShort ? [] : Array(sought[end...])
    }

    /// Whether more separators stand together in it than may stand between two characters.
    private static func isWide(_ bytes: [UInt8]) -> Bool {
        var run = 0
        for byte in bytes {
            run = byte == 0x20 || byte == 0x2D ? run + 1 : 0
            if run > ValueFinder.maximumSeparators { return true }
        }
        return false
    }

    private static func reach(_ bytes: ArraySlice<UInt8>) -> Reach {
        switch bytes.count {
        case ...2: .wholeText
        case ...8: .word
        default: .anywhere
        }
    }
}
