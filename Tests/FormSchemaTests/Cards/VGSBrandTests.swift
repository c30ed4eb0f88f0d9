import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 5: the catalogue `vgs`.
@Suite struct VGSBrandTests {
    private static let brands = CardBrands(
        catalogue: .vgs, brands: CardBrands.vgsTable, unknown: CardBrands.vgsUnknown)

    static let oracle = BrandOracle(
        """
        elo | 16 | 401178–401179, 431274, 438935, 451416, 457393, 457631–457632, 504175, 506699–506779, 509000, 627780, \
        636297, 636368, 650030–650033, 650035–650051, 650405–650409, 650430–650439, 650485–650538, 650541, 650700, \
        650720, 650901, 650920–650978, 651652, 655000, 655021
        visaElectron | 16 | 4026, 417500, 4405, 4508, 4844, 4913, 4917
        maestro | 12–19 | 5018, 5020, 5038, 6304, 639000–639099, 670000–679999
        forbrugsforeningen | 16 | 600
        dankort | 16 | 5019
        visa | 13, 16, 19 | 4
        mastercard | 16 | 222100–222999, 22300–22999, 230000–272099, 510000–559999
        amex | 15 | 34, 37
        hipercard | 14–19 | 384100, 384140, 384160, 606282, 637095, 637568
        hipercard | 14–19 | 60
        dinersClub | 14, 16–19 | 300, 305, 309, 36, 38, 39
        discover | 16–19 | 6011, 622, 644–649, 65
        unionpay | 16–19 | 62
        jcb | 16–19 | 1800, 2131, 35
        """)

    /// What the naive reading makes of a number, with hipercard's exception.
    private static func expected(_ number: String) -> String {
        number.hasPrefix("6011") ? "discover" : oracle.first(number)
    }

    @Test func everyEdgeOfEveryRange() {
        let edges = Self.oracle.edges
        #expect(edges.count > 500)
        for number in edges {
            #expect(Self.brands.brand(ofNumber: number).id == Self.expected(number), "\(number)")
        }
    }

    @Test(
        arguments: table(
            """
            digits | brand
            5 | unknown
            51 | unknown
            51000 | unknown
            510000 | mastercard
            22300 | mastercard
            22299 | unknown
            222100 | mastercard
            2221 | unknown
            22999 | mastercard
            2720 | unknown
            272099 | mastercard
            272100 | unknown
            60 | hipercard
            601 | hipercard
            6011 | discover
            6012 | hipercard
            600 | forbrugsforeningen
            606282 | hipercard
            63 | unknown
            67 | unknown
            67999 | unknown
            679999 | maestro
            6304 | maestro
            639000 | maestro
            639099 | maestro
            639100 | unknown
            670000 | maestro
            3 | unknown
            30 | unknown
            301 | unknown
            304 | unknown
            306 | unknown
            308 | unknown
            300 | dinersClub
            305 | dinersClub
            309 | dinersClub
            38410 | dinersClub
            384100 | hipercard
            384140 | hipercard
            384160 | hipercard
            384150 | dinersClub
            62 | unionpay
            622 | discover
            627780 | elo
            62778 | unionpay
            650034 | discover
            650033 | elo
            650035 | elo
            65 | discover
            655000 | elo
            655001 | discover
            4 | visa
            4026 | visaElectron
            402 | visa
            401178 | elo
            40117 | visa
            417500 | visaElectron
            417501 | visa
            5018 | maestro
            5019 | dankort
            501 | unknown
            34 | amex
            37 | amex
            35 | jcb
            1800 | jcb
            2131 | jcb
            180 | unknown
            0 | unknown
            9 | unknown
            2200 | unknown
            637095 | hipercard
            637599 | unknown
            `` | unknown
            `4\u{301}` | unknown
            `4\u{301}37` | amex
            4539526018159083 | visa
            62200000000000000000000000 | discover
            """))
    func detects(_ row: Row) {
        #expect(Self.brands.brand(ofNumber: row["digits"]).id == row["brand"])
    }

    /// Name, CVC lengths, pattern and checksum of each line of the table.
    @Test(
        arguments: table(
            """
            id | name | cvc | pattern | checksum
            elo | ELO | 3 | `#### #### #### ####` | luhn
            visaElectron | Visa Electron | 3 | `#### #### #### #### ###` | luhn
            maestro | Maestro | 3 | `#### #### #### #### ###` | luhn
            forbrugsforeningen | Forbrugsforeningen | 3 | `#### #### #### ####` | luhn
            dankort | Dankort | 3 | `#### #### #### ####` | luhn
            visa | Visa | 3 | `#### #### #### #### ###` | luhn
            mastercard | Mastercard | 3 | `#### #### #### ####` | luhn
            amex | American Express | 4 | `#### ###### #####` | luhn
            hipercard | HiperCard | 3 | `#### #### #### #### ###` | luhn
            dinersClub | Diners Club | 3 | `#### ###### #########` | luhn
            discover | Discover | 3 | `#### #### #### #### ###` | luhn
            unionpay | UnionPay | 3 | `#### #### #### #### ###` | none
            jcb | JCB | 3 | `#### #### #### #### ###` | luhn
            unknown | Unknown | 3 4 | `#### #### #### #### ###` | luhn
            """))
    func describesBrands(_ row: Row) throws {
        let all = Self.brands.brands + [Self.brands.unknown]
        let brand = try #require(all.first { $0.id == row["id"] })
        #expect(brand.name == row["name"])
        #expect(brand.cvcLengths == row.list("cvc").compactMap { Int($0) })
        #expect(brand.pattern.text == row["pattern"])
        #expect(brand.checksum.rawValue == row["checksum"])
        let lengths = Self.oracle.lines.first { $0.id == row["id"] }?.lengths ?? Array(16...19)
        #expect(brand.lengths == lengths)
    }

    @Test func brandsAreTriedInTheTablesOrder() {
        var ids = Self.oracle.lines.map(\.id)
        ids.remove(at: 9)
        #expect(Self.brands.brands.map(\.id) == ids)
    }
}
