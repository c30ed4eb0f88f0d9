import Testing

@testable import Vault

@Suite("What formats accept")
struct AliasFormatAcceptsTests {
    private static let card = "4539600166594134"
    private static let cardFormats: [AliasFormat] = [
        .fpeSixTFour, .fpeTFour, .alphanumericSixTFour, .alphanumericLengthPreservingSixTFour,
        .nonLuhnFPEAlphanumeric,
    ]

    @Test(arguments: [
        (AliasFormat.uuid, ["", "a", "\u{1F600}", "\0", String(repeating: "x", count: 100_000)], []),
        (.rawUUID, ["", "anything at all"], []),
        (.vgsFixedLenGeneric, ["", "anything at all"], []),
        (
            .genericTFour,
            [
                "12345678", "ééééAb1Z", card, "e\u{301}e\u{301}e\u{301}e\u{301}Ab1Z", "\r\n\r\n\r\n\r\n1234",
                "🇫🇷🇫🇷🇫🇷👩‍👩‍👧1234", "\r1234567",
            ],
            [
                // Seven characters, however many scalars they are made of.
                "e\u{301}e\u{301}e\u{301}Ab1Z", "\r\n\r\n\r\n1234", "🇫🇷🇫🇷👩‍👩‍👧1234",
                "1234567", "1234-678-", "12345 67 8", "ééAb1Z", "1234567é", "aaaa\u{660}123",
            ]
        ),
        (
            .numLengthPreserving, ["123", "0000", "1234567890123456"],
            ["", "12", "12345678901234567", "12a", "１２３", "1 2"]
        ),
        (.pfpt, [card, "000000000000", "4000000000000000006"], ["4539600166594135", "00000000000", "12345678901a"]),
        (.fpeSSNTFour, ssn.good, ssn.bad),
        (.alphanumericSSNTFour, ssn.good, ssn.bad),
        (
            .fpeAccNumTFour, ["123456", String(repeating: "9", count: 32)],
            ["12345", "12345a", String(repeating: "9", count: 33)]
        ),
        (
            .fpeAlphanumericAccNumTFour, ["aB3456", String(repeating: "z", count: 32)],
            ["12345", "12-456", String(repeating: "z", count: 33), "é12345"]
        ),
        (
            .alphanumericLengthPreserving, ["abc", " ~ ", String(repeating: "x", count: 64)],
            ["ab", String(repeating: "x", count: 65), "ab\u{7f}", "a\tb", "naïve"]
        ),
        (
            .alphanumericLengthPreservingTFour, ["AB-1234", "  12ab", String(repeating: "x", count: 64)],
            ["12345", "abc123-", "AB-12 4", String(repeating: "x", count: 65), "é1234567"]
        ),
    ])
    func table(format: AliasFormat, accepted: [String], refused: [String]) {
        for value in accepted { #expect(format.accepts(value), "\(format.rawValue) \(value.prefix(40))") }
        for value in refused { #expect(!format.accepts(value), "\(format.rawValue) \(value.prefix(40))") }
    }

    @Test(arguments: cardFormats)
    func cards(format: AliasFormat) {
        for count in 0...24 {
            #expect(format.accepts(String(repeating: "7", count: count)) == (12...19).contains(count))
        }
        #expect(!format.accepts("4539 6001 6659 4134"))
        #expect(!format.accepts("453960016659413a"))
        #expect(!format.accepts("45396001665941３4"))
    }

    private static let ssn = (
        good: ["219-09-9999", "219099999", "219 09 9999", "001-01-0001", "899-99-9999", "665010001"],
        bad: [
            "", "000-09-9999", "666-09-9999", "900-09-9999", "219-00-9999", "219-09-0000", "219-099999", "21909-9999",
            "219-09 9999", "219--09-9999", "219.09.9999", "21909999", "2190999999", "219\u{a0}09\u{a0}9999",
            "000000000", "21a-09-9999",
        ]
    )

    @Test func codesAreThoseOfTheTable() {
        for (index, format) in AliasFormat.allCases.enumerated() {
            #expect(Int(format.code) == index + 1)
            #expect(AliasFormat(code: format.code) == format)
        }
        #expect(AliasFormat(code: 0) == nil)
        #expect(AliasFormat(code: 18) == nil)
        #expect(AliasFormat.allCases.count == 17)
    }

    /// The column "distinct aliases" of the reference.
    @Test(arguments: [
        (AliasFormat.numLengthPreserving, "321", 999.0), (.pfpt, card, 1e9), (.fpeSixTFour, "453960016659413", 1e4),
        (.fpeSixTFour, card, 1e5 - 1), (.fpeSixTFour, "453960016659", 10), (.fpeTFour, "123456789012", 9e6),
        (.fpeSSNTFour, "219-09-9999", 88_901), (.fpeAccNumTFour, "000123", 99),
        (.fpeAlphanumericAccNumTFour, "000123", 1_196), (.alphanumericSSNTFour, "219099999", 60_366_176),
        (.alphanumericLengthPreserving, "A-B", 45_656), (.alphanumericLengthPreserving, "ABC", 45_655),
        (.alphanumericLengthPreservingSixTFour, "123456789012", 1_196), (.uuid, "x", 0x1p128),
    ])
    func sizes(format: AliasFormat, value: String, size: Double) {
        #expect(format.space(for: value) == size)
    }

    /// What is said of a format's room holds for the longest values that it accepts, and for the shortest.
    @Test(arguments: AliasFormat.allCases)
    func roomByFormat(format: AliasFormat) throws {
        let values =
            (1...80).flatMap { count in
                ["1", "a", "0"].map { String(repeating: $0, count: count) }
            } + [Self.card, "219-09-9999"]
        let accepted = values.filter { format.accepts($0) }
        try #require(!accepted.isEmpty)
        let isWide = accepted.map { format.isWide(for: $0) }
        #expect(format.isToken == isWide.allSatisfy { $0 } && format.isNarrow == !isWide.contains(true))
    }

    @Test func noSpaceForWhatDoesNotFit() {
        #expect(AliasFormat.fpeSixTFour.space(for: "12") == nil)
    }
}
