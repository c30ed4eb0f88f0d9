import Testing

@testable import FormSchema

/// `docs/reference/elements.md` section 8: the catalogue `basisTheory`.
@Suite struct BasisTheoryBrandTests {
    private static let brands = CardBrands(
        catalogue: .basisTheory, brands: CardBrands.basisTheoryTable, unknown: CardBrands.basisTheoryUnknown)

    private static let oracle = BrandOracle(
        """
        visa | 16, 18, 19 | 4
        mastercard | 16 | 51–55, 2221–2229, 223–229, 23–26, 270–271, 2720
        americanExpress | 15 | 34, 37
        dinersClub | 14, 16, 19 | 300–305, 36, 38, 39
        discover | 16, 19 | 6011, 644–649, 65
        jcb | 16–19 | 2131, 1800, 3528–3589
        unionPay | 14–19 | 620, 62100–62197, 62200–62205, 622010–622999, 62207–62209, 623–626, 6270, 6272, 6276, \
        627700–627779, 627781–627799, 6282–6289, 6291, 6292, 810, 8110–8171
        maestro | 12–19 | 493698, 500000–504174, 504176–506698, 506779–508999, 56–59, 63, 67, 6
        elo | 16 | 401178, 401179, 438935, 457631, 457632, 431274, 451416, 457393, 504175, 506699–506778, \
        509000–509999, 627780, 636297, 636368, 650031–650033, 650035–650051, 650405–650439, 650485–650538, \
        650541–650598, 650700–650718, 650720–650727, 650901–650978, 651652–651679, 655000–655019, 655021–655058
        mir | 16–19 | 2200–2204
        hiper | 16 | 637095, 63737423, 63743358, 637568, 637599, 637609, 637612
        hipercard | 16 | 606282
        """)

    @Test func everyEdgeOfEveryRange() {
        let edges = Self.oracle.edges
        #expect(edges.count > 500)
        for number in edges {
            #expect(Self.brands.brand(ofNumber: number).id == Self.oracle.longest(number), "\(number)")
        }
    }

    /// The table of differences from the catalogue `vgs`.
    @Test(
        arguments: table(
            """
            digits | brand
            4026 | visa
            600 | maestro
            501900 | maestro
            50190 | unknown
            5019 | unknown
            2200 | mir
            2204 | mir
            2205 | unknown
            220 | unknown
            637095 | hiper
            637568 | hiper
            637599 | hiper
            637609 | hiper
            637612 | hiper
            63737423 | hiper
            63743358 | hiper
            6373742 | maestro
            63737424 | maestro
            60 | maestro
            6011 | discover
            601 | maestro
            606282 | hipercard
            60628 | maestro
            6 | maestro
            61 | maestro
            63 | maestro
            640 | maestro
            643 | maestro
            644 | discover
            66 | maestro
            67 | maestro
            68 | maestro
            69 | maestro
            62 | maestro
            620 | unionPay
            621 | maestro
            62100 | unionPay
            62197 | unionPay
            62198 | maestro
            62206 | maestro
            622010 | unionPay
            622009 | unionPay
            62207 | unionPay
            627780 | elo
            627779 | unionPay
            627781 | unionPay
            8109 | unionPay
            8172 | unknown
            8110 | unionPay
            81 | unknown
            51 | mastercard
            55 | mastercard
            5 | unknown
            23 | mastercard
            26 | mastercard
            223 | mastercard
            2221 | mastercard
            222 | unknown
            270 | mastercard
            2720 | mastercard
            2721 | unknown
            301 | dinersClub
            304 | dinersClub
            309 | unknown
            30 | unknown
            3500 | unknown
            3527 | unknown
            3528 | jcb
            3589 | jcb
            3590 | unknown
            50 | unknown
            500000 | maestro
            56 | maestro
            59 | maestro
            508999 | maestro
            509123 | elo
            506778 | elo
            506779 | maestro
            650030 | discover
            650410 | elo
            650545 | elo
            650710 | elo
            650719 | discover
            650905 | elo
            651660 | elo
            655010 | elo
            655020 | discover
            493698 | maestro
            49369 | visa
            401178 | elo
            34 | americanExpress
            `` | unknown
            """))
    func detects(_ row: Row) {
        #expect(Self.brands.brand(ofNumber: row["digits"]).id == row["brand"])
    }

    /// How numbers are shown: a space at each gap, the digits behind the last one run on.
    @Test(
        arguments: table(
            """
            id | name | cvc | pattern
            visa | Visa | 3 | `#### #### #### #######`
            mastercard | Mastercard | 3 | `#### #### #### ####`
            americanExpress | American Express | 4 | `#### ###### #####`
            dinersClub | Diners Club | 3 | `#### ###### #########`
            discover | Discover | 3 | `#### #### #### #######`
            jcb | JCB | 3 | `#### #### #### #######`
            unionPay | UnionPay | 3 | `#### #### #### #######`
            maestro | Maestro | 3 | `#### #### #### #######`
            elo | Elo | 3 | `#### #### #### ####`
            mir | Mir | 3 | `#### #### #### #######`
            hiper | Hiper | 3 | `#### #### #### ####`
            hipercard | Hipercard | 3 | `#### #### #### ####`
            unknown | Unknown | 3 4 | `#### #### #### #### ###`
            """))
    func describesBrands(_ row: Row) throws {
        let brand = try #require((Self.brands.brands + [Self.brands.unknown]).first { $0.id == row["id"] })
        #expect(brand.name == row["name"])
        #expect(brand.cvcLengths == row.list("cvc").compactMap { Int($0) })
        #expect(brand.pattern.text == row["pattern"])
        #expect(brand.checksum == .luhn)
        #expect(brand.lengths == Self.oracle.lines.first { $0.id == row["id"] }?.lengths ?? Array(16...19))
    }

    @Test(
        arguments: table(
            """
            text | formatted | brand | bin | last4
            `4485829657249208682` | `4485 8296 5724 9208682` | visa | 44858296 | 8682
            `3055379727611204480` | `3055 379727 611204480` | dinersClub | 30553797 | 4480
            `371131067924708` | `3711 310679 24708` | americanExpress | 371131 | 4708
            `4539526018159083` | `4539 5260 1815 9083` | visa | 45395260 | 9083
            """))
    func shows(_ row: Row) throws {
        let result = try judge("'type':'cardNumber'", row["text"], top: "'cardBrands':{'catalogue':'basisTheory'},")
        #expect(result.formatted == row["formatted"])
        #expect(result.isValid)
        #expect(result.isComplete)
        #expect(result.brand?.id == row["brand"])
        #expect(result.bin == row["bin"])
        #expect(result.last4 == row["last4"])
    }
}
