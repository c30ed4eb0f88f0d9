/// One value that a call has revealed, as it is looked for in the response (docs/reference/proxy.md section 7).
struct RevealedValue {
    /// Where an occurrence counts. A short value also occurs by chance: what is replaced then is not the value, and the response is
    /// spoilt.
    enum Reach {
        /// Up to two characters, such as a month: only where it is a whole text, number, header, or value of a form.
        case wholeText
        /// Up to eight, such as a CVC or a year: where no letter, digit or underscore adjoins it, and it is no part of a number with
        /// a point, of a date or of a time.
        case word
        /// Everywhere, also within longer digits and words.
        case anywhere
    }

    /// What stands in its place.
    let alias: String
    let reach: Reach
    /// Without spaces and hyphens, if those may stand between any two of its characters.
    let isGrouped: Bool
    /// The bytes behind those that the trie holds.
    let rest: [UInt8]
    /// Those that the trie holds.
    let beginning: [UInt8]
    /// Whether it is digits, apart from what groups them, and also looked for as a number, which has no zeros in front: only if it is long enough without them. Else each `1` would
    /// be the code `001`.
    let isNumber: Bool

    /// Bytes of a value that are found one by one. Behind them there is no doubt, and the rest is compared.
    static let beginningLimit = 64
    /// Fewer digits than this are not looked for with spaces or hyphens between them.
    private static let groupedDigits = 4

    init(_ value: String, alias: String) {
        self.alias = alias
        let bytes = Array(value.utf8)
        let plain = bytes.filter { $0 != 0x20 && $0 != 0x2D }
        let digits = plain.count { $0.isASCIIDigit }
        let isDigits = digits == plain.count && digits > 0
        reach = Self.reach(isDigits ? plain[...] : bytes[...])
        isNumber =
            isDigits && Self.reach(plain[...]) == Self.reach(plain.drop { $0 == UInt8(ascii: "0") })
            && reach != .wholeText
        isGrouped =
            reach == .anywhere && plain.count <= Self.beginningLimit && digits >= Self.groupedDigits
            && plain.allSatisfy { $0.isASCIIAlphanumeric }
        let sought = isGrouped ? plain : bytes
        // Nearly all values are short, and are not copied.
        let isShort = sought.count <= Self.beginningLimit
        beginning = isShort ? sought : Array(sought.prefix(Self.beginningLimit))
        rest = isShort ? [] : Array(sought.dropFirst(Self.beginningLimit))
    }

    private static func reach(_ bytes: ArraySlice<UInt8>) -> Reach {
        switch bytes.count {
        case ...2: .wholeText
        case ...8: .word
        default: .anywhere
        }
    }
}
