import Testing

@testable import FormSchema

/// `docs/reference/elements.md` sections 3 and 4.
@Suite struct MaskTests {
    private static let phone = """
        ['(',{'pattern':'[0-9]'},{'pattern':'[0-9]'},{'pattern':'[0-9]'},')',{'pattern':'[0-9]'},{'pattern':'[0-9]'},\
        {'pattern':'[0-9]'},'-',{'pattern':'[0-9]'},{'pattern':'[0-9]'},{'pattern':'[0-9]'},{'pattern':'[0-9]'}]
        """

    /// The list and the shorthand give the same.
    @Test(
        arguments: table(
            """
            submitted | masked | slots | dropped
            `4155550199` | `(415)555-0199` | 10 | no
            `(415)555-0199` | `(415)555-0199` | 10 | no
            `415` | `(415` | 3 | no
            `415x` | `(415)` | 3 | yes
            `4155550199 ext 7` | `(415)555-0199` | 10 | yes
            `n/a` | `(` | 0 | yes
            `` | `` | 0 | no
            `-` | `(` | 0 | no
            `415-` | `(415)` | 3 | no
            `+1 415 555 0199` | `(141)555-5019` | 10 | yes
            `٤155550199` | `(155)550-199` | 9 | yes
            `4155550199😀` | `(415)555-0199` | 10 | no
            `4155550199 ` | `(415)555-0199` | 10 | no
            """))
    func phoneMask(_ row: Row) throws {
        for mask in [Self.phone, "'(###)###-####'"] {
            let result = try judge("'mask':\(mask)", row["submitted"])
            #expect(result.formatted == row["masked"])
            #expect(result.raw == row["masked"])
            #expect(result.isMaskSatisfied == (row["slots"] == "10"))
            #expect(result.errors.contains("DROPPED_INPUT_VALIDATION_ERROR") == row.flag("dropped"))
        }
    }

    @Test(
        arguments: table(
            """
            mask | submitted | masked | satisfied | dropped
            `(###) ### - ####` | `415.555.0199` | `(415) 555 - 0199` | yes | no
            `cc-CCC` | `QWerty` | `qw-ERT` | yes | yes
            `CC ##` | `k7l 42` | `KL 42` | yes | yes
            `##-##` | `12` | `12` | no | no
            `##-##` | `12-` | `12-` | no | no
            `##-##` | `123` | `12-3` | no | no
            `CCC-cc` | `bRnAx` | `BRN-ax` | yes | no
            `+1###` | `415` | `+1415` | yes | no
            `+1###` | `+1415` | `+1141` | yes | yes
            `##)` | `12` | `12` | yes | no
            `##)` | `12)` | `12)` | yes | no
            `##)` | `123` | `12)` | yes | yes
            `c` | `É` | `é` | yes | no
            `C` | `é` | `É` | yes | no
            `C` | `e\u{301}` | `E\u{301}` | yes | no
            `C` | `ß` | `ß` | yes | no
            `C` | `ŉ` | `ŉ` | yes | no
            `C` | `日` | `日` | yes | no
            `C` | `\u{301}` | `` | no | no
            `c` | `1` | `` | no | yes
            `#` | `１` | `` | no | yes
            `#` | `1\u{20E3}` | `` | no | yes
            `_#` | `1` | `_1` | yes | no
            `-` | `x` | `-` | yes | yes
            `-` | `` | `` | yes | no
            `é#` | `5` | `é5` | yes | no
            `😀#` | `5` | `😀5` | yes | no
            """))
    func shorthand(_ row: Row) throws {
        let result = try judge("'mask':'\(row["mask"])'", row["submitted"])
        #expect(Array(result.formatted.utf8) == Array(row["masked"].utf8))
        #expect(result.isMaskSatisfied == row.flag("satisfied"))
        #expect(result.errors.contains("DROPPED_INPUT_VALIDATION_ERROR") == row.flag("dropped"))
    }

    /// Any class a position, literals that are symbols of the shorthand, and case.
    @Test(
        arguments: table(
            #"""
            mask | submitted | masked
            `['#',{'pattern':'[0-9]'}]` | `5` | `#5`
            `['c','C',{'pattern':'.'}]` | `x` | `cCx`
            `['_',{'pattern':'.'}]` | `_` | `__`
            `[{'pattern':'[a-f]','case':'upper'},{'pattern':'[A-F]','case':'lower'}]` | `fF` | `Ff`
            `[{'pattern':'[a-f]','case':'upper'}]` | `F` | ``
            `[{'pattern':'\\d'},{'pattern':'\\D'}]` | `12a` | `1a`
            `[{'pattern':'\\d'}]` | `٣` | ``
            `[{'pattern':'\\p{L}'}]` | `Ж` | `Ж`
            `[{'pattern':''}]` | `-` | `-`
            `[{'pattern':'^$'}]` | `-` | ``
            `[{'pattern':'é'}]` | `é` | `é`
            `[' ',{'pattern':' '},{'pattern':'x'}]` | ` x` | `  x`
            `['😀',{'pattern':'.'}]` | `👍` | `😀👍`
            """#))
    func list(_ row: Row) throws {
        #expect(
            try judge("'mask':\(row["mask"])", row["submitted"], top: "'lenientInput':true,").formatted == row["masked"]
        )
    }
}
