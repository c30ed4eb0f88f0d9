import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 3: what a pattern makes of a text.
@Suite struct FormatPatternTests {
    @Test(
        arguments: table(
            """
            pattern | text | formatted | raw | dropped
            `##/##` | `0931` | `09/31` | `0931` | no
            `##/##` | `09` | `09` | `09` | no
            `##/##` | `09x` | `09/` | `09` | yes
            `AA-####` | `qz PL 7042` | `PL-7042` | `PL7042` | yes
            `a*A#` | `x-9-Q-3` | `x9Q3` | `x9Q3` | no
            `(##)` | `abc` | `(` | `` | yes
            `## ##` | `1234567` | `12 34` | `1234` | yes
            `##.##.####` | `05.11.2031` | `05.11.2031` | `05112031` | no
            `## -> ##` | `07 -> 31` | `07 -> 31` | `0731` | no
            `` | ` a-b 1\u{0663} ` | ` a-b 1\u{0663} ` | ` a-b 1\u{0663} ` | no
            `` | `` | `` | `` | no
            `##` | `` | `` | `` | no
            `##` | ` -/. ` | `` | `` | no
            `(##)` | `--` | `` | `` | no
            `##)` | `12` | `12` | `12` | no
            `##)` | `12-` | `12` | `12` | no
            `##)` | `12x` | `12)` | `12` | yes
            `##)` | `123` | `12)` | `12` | yes
            `##)-` | `123` | `12)-` | `12` | yes
            `--` | `a` | `--` | `` | yes
            `##-##` | `1-2-3-4` | `12-34` | `1234` | no
            `##-##` | `1a2b3c4d` | `12-34` | `1234` | yes
            `###` | `12` | `12` | `12` | no
            `@@@` | `a1b2c3` | `abc` | `abc` | yes
            `aA` | `Aa` | `a` | `a` | yes
            `aA` | `aA` | `aA` | `aA` | no
            `***` | `a-1-Z` | `a1Z` | `a1Z` | no
            `+1 ###` | `415` | `+1 415` | `1415` | no
            `+1 ###` | `+1415` | `+1 141` | `1141` | yes
            `X##` | `12` | `X12` | `X12` | no
            `X##` | `` | `` | `` | no
            `€#` | `5` | `€5` | `5` | no
            `#-é-#` | `12` | `1-é-2` | `1é2` | no
            """))
    func shapes(_ row: Row) {
        let shaped = FormatPattern(row["pattern"]).shape(row["text"])
        #expect(shaped.formatted == row["formatted"])
        #expect(shaped.raw == row["raw"])
        #expect(shaped.droppedInput == row.flag("dropped"))
    }

    /// Digits are ASCII, letters are categories L and M, and a character is a grapheme cluster.
    @Test(
        arguments: table(
            """
            pattern | text | formatted | dropped | why
            `@` | `é` | `é` | no | letter
            `@` | `e\u{301}` | `e\u{301}` | no | a letter with its mark is one character
            `@` | `\u{301}` | `\u{301}` | no | a mark alone is a letter
            `#` | `\u{301}` | `` | no | and no letter in the sense of dropped input, which asks for L or N
            `@@` | `日本` | `日本` | no | category Lo
            `@` | `ʰ` | `ʰ` | no | category Lm
            `a` | `ß` | `ß` | no | category Ll
            `a` | `ª` | `` | yes | category Lo
            `A` | `ǅ` | `ǅ` | no | title case
            `a` | `ǅ` | `` | yes | title case is not lower case
            `A` | `É` | `É` | no | category Lu
            `A` | `日` | `` | yes | no case
            `*` | `Ж` | `Ж` | no | alphanumeric
            `#` | `\u{0663}` | `` | yes | Arabic digit: dropped, as it is of category N
            `*` | `\u{0663}` | `` | yes | not alphanumeric
            `#` | `５` | `` | yes | full width
            `*` | `Ⅷ` | `` | yes | category Nl
            `*` | `½` | `` | yes | category No
            `#` | `²` | `` | yes | category No
            `*` | `😀` | `` | no | neither letter nor number
            `#` | `👨‍👩‍👧5` | `5` | no | one cluster of five scalars
            `##` | `1_2` | `12` | no | underscore is category Pc
            `##` | `1\u{00A0}2` | `12` | no | no-break space
            `##` | `1\u{200B}2` | `12` | no | zero-width space
            `##` | `1\r\n2` | `12` | no | one cluster
            `#` | `1\u{20E3}` | `` | yes | a keycap is no digit but holds one
            `#` | `\u{0600}5` | `` | yes | a digit behind a prepended sign must not vanish unseen
            """))
    func classifies(_ row: Row) {
        let shaped = FormatPattern(row["pattern"]).shape(row["text"])
        #expect(Array(shaped.formatted.utf8) == Array(row["formatted"].utf8))
        #expect(shaped.droppedInput == row.flag("dropped"))
    }

    @Test(
        arguments: table(
            """
            pattern | divider | text | withDivider
            `##.##.####` | `-` | `05.11.2031` | `05-11-2031`
            `## -> ##` | `:` | `07 -> 31` | `07::::31`
            `##/##` | `::` | `0931` | `09::31`
            `##/##` | `` | `0931` | `0931`
            `` | `-` | `09/31` | `09/31`
            `##/##` | `-` | `09x` | `09-`
            `##/##` | `-` | `09` | `09`
            `(##)` | `-` | `12x` | `-12-`
            `+1 ###` | `-` | `415` | `---415`
            `X##` | `ab` | `12` | `ab12`
            `##/##` | `é` | `0931` | `09é31`
            `@é@` | `/` | `xy` | `x/y`
            """))
    func putsDividersAtLiterals(_ row: Row) {
        let shaped = FormatPattern(row["pattern"]).shape(row["text"])
        #expect(shaped.shaped.text(withDivider: row["divider"]) == row["withDivider"])
    }

    /// The byte path and the general one give the same.
    @Test(arguments: ["##/##", "AA-####", "a*A#", "(##)", "+1 ###", "@@ ** aA"])
    func bothPathsAgree(_ pattern: String) {
        for text in ["0931", "qz PL 7042", "x-9-Q-3", "", "aB1 2cD", "(12)345", "\u{7F}\t1"] {
            let ascii = FormatPattern(pattern).shape(text)
            let general = FormatPattern(pattern).shape(text + "☺")
            #expect(ascii.formatted == general.formatted)
            #expect(ascii.raw == general.raw)
            #expect(ascii.shaped.text(withDivider: "::") == general.shaped.text(withDivider: "::"))
            #expect(ascii.droppedInput == general.droppedInput)
            #expect(ascii.isMaskSatisfied == general.isMaskSatisfied)
        }
    }
}
