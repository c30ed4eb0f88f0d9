/// The catalogue `vgs`: the table of `docs/reference/fields.md` section 5, in the order in which brands are tried.
extension CardBrands {
    /// Pattern B of the table; also the default of custom brands.
    static let patternB = "#### #### #### #### ###"
    private static let patternA = "#### #### #### ####"
    private static let patternC = "#### ###### #####"
    private static let patternD = "#### ###### #########"

    static let unknownID = "unknown"
    static let vgsUnknown = CardBrand(
        id: unknownID, name: "Unknown", prefixes: [], lengths: Array(16...19), cvcLengths: [3, 4], pattern: patternB)

    static let vgsTable: [CardBrand] = [
        CardBrand(
            id: "elo", name: "ELO",
            prefixes: ranges(
                """
                401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506779 509000 627780 636297 636368 \
                650030-650033 650035-650051 650405-650409 650430-650439 650485-650538 650541 650700 650720 650901 \
                650920-650978 651652 655000 655021
                """), lengths: [16], pattern: patternA),
        CardBrand(
            id: "visaElectron", name: "Visa Electron", prefixes: ranges("4026 417500 4405 4508 4844 4913 4917"),
            lengths: [16], pattern: patternB, binRule: .eightOrNone),
        CardBrand(
            id: "maestro", name: "Maestro", prefixes: ranges("5018 5020 5038 6304 639000-639099 670000-679999"),
            lengths: Array(12...19), pattern: patternB, binRule: .eightOrNone),
        CardBrand(
            id: "forbrugsforeningen", name: "Forbrugsforeningen", prefixes: ranges("600"), lengths: [16],
            pattern: patternA),
        CardBrand(id: "dankort", name: "Dankort", prefixes: ranges("5019"), lengths: [16], pattern: patternA),
        CardBrand(
            id: "visa", name: "Visa", prefixes: ranges("4"), lengths: [13, 16, 19], pattern: patternB,
            binRule: .eightOrNone),
        CardBrand(
            id: "mastercard", name: "Mastercard",
            prefixes: ranges("222100-222999 22300-22999 230000-272099 510000-559999"),
            lengths: [16], pattern: patternA, binRule: .eightOrNone),
        CardBrand(
            id: "amex", name: "American Express", prefixes: ranges("34 37"), lengths: [15], cvcLengths: [4],
            pattern: patternC),
        CardBrand(
            id: "hipercard", name: "HiperCard",
            prefixes: ranges("384100 384140 384160 606282 637095 637568") + [
                PrefixRange(digits: 2, low: 60, high: 60, except: "6011")
            ], lengths: Array(14...19), pattern: patternB),
        CardBrand(
            id: "dinersClub", name: "Diners Club", prefixes: ranges("300 305 309 36 38 39"),
            lengths: [14] + Array(16...19), pattern: patternD),
        CardBrand(
            id: "discover", name: "Discover", prefixes: ranges("6011 622 644-649 65"), lengths: Array(16...19),
            pattern: patternB),
        CardBrand(
            id: "unionpay", name: "UnionPay", prefixes: ranges("62"), lengths: Array(16...19), pattern: patternB,
            checksum: .none),
        CardBrand(
            id: "jcb", name: "JCB", prefixes: ranges("1800 2131 35"), lengths: Array(16...19), pattern: patternB),
    ]

    /// Ranges separated by spaces. Anything else is left out; a test counts the ranges.
    static func ranges(_ text: String) -> [PrefixRange] {
        var ranges: [PrefixRange] = []
        var range = ""
        for character in text.unicodeScalars {
            if character != " " {
                range.unicodeScalars.append(character)
            } else {
                if let next = PrefixRange(range) { ranges.append(next) }
                range = ""
            }
        }
        if let last = PrefixRange(range) { ranges.append(last) }
        return ranges
    }
}
