/// The catalogue `basisTheory`: the table of `docs/reference/elements.md` section 8.
extension CardBrands {
    static let basisTheoryUnknown = CardBrand(
        id: unknownID, name: "Unknown", prefixes: [], lengths: Array(16...19), cvcLengths: [3, 4], pattern: patternB,
        binRule: .eightOrSix)

    static let basisTheoryTable: [CardBrand] = [
        brand("visa", "Visa", "4", lengths: [16, 18, 19]),
        brand("mastercard", "Mastercard", "51-55 2221-2229 223-229 23-26 270-271 2720", lengths: [16]),
        brand("americanExpress", "American Express", "34 37", lengths: [15], cvcLengths: [4], gaps: [4, 10]),
        brand("dinersClub", "Diners Club", "300-305 36 38 39", lengths: [14, 16, 19], gaps: [4, 10]),
        brand("discover", "Discover", "6011 644-649 65", lengths: [16, 19]),
        brand("jcb", "JCB", "2131 1800 3528-3589", lengths: Array(16...19)),
        brand(
            "unionPay", "UnionPay",
            """
            620 62100-62197 62200-62205 622010-622999 62207-62209 623-626 6270 6272 6276 627700-627779 627781-627799 \
            6282-6289 6291 6292 810 8110-8171
            """, lengths: Array(14...19)),
        brand(
            "maestro", "Maestro",
            "493698 500000-504174 504176-506698 506779-508999 56-59 63 67 6", lengths: Array(12...19)),
        brand(
            "elo", "Elo",
            """
            401178 401179 438935 457631 457632 431274 451416 457393 504175 506699-506778 509000-509999 627780 636297 \
            636368 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727 \
            650901-650978 651652-651679 655000-655019 655021-655058
            """, lengths: [16]),
        brand("mir", "Mir", "2200-2204", lengths: Array(16...19)),
        brand("hiper", "Hiper", "637095 63737423 63743358 637568 637599 637609 637612", lengths: [16]),
        brand("hipercard", "Hipercard", "606282", lengths: [16]),
    ]

    private static func brand(
        _ id: String, _ name: String, _ prefixes: String, lengths: [Int], cvcLengths: [Int] = [3],
        gaps: [Int] = [4, 8, 12]
    ) -> CardBrand {
        CardBrand(
            id: id, name: name, prefixes: ranges(prefixes), lengths: lengths, cvcLengths: cvcLengths,
            pattern: pattern(digits: lengths.max() ?? 0, gaps: gaps), binRule: .eightOrSix)
    }

    /// One space at each gap; after the last one the digits are not grouped.
    private static func pattern(digits: Int, gaps: [Int]) -> String {
        (0..<digits).reduce(into: "") { $0 += gaps.contains($1) ? " #" : "#" }
    }
}
