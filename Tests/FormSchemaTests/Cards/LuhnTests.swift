import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 5: at least nine characters, all ASCII digits.
@Suite struct LuhnTests {
    @Test(
        arguments: table(
            """
            text | passes
            `4539526018159083` | yes
            `4539600166594134` | yes
            `371131067924708` | yes
            `4485829657249208682` | yes
            `79927398713` | yes
            `79927398710` | no
            `000000000` | yes
            `0000000000000000000000` | yes
            `00000000` | no
            `00000018` | no
            `000000018` | yes
            `000000019` | no
            `` | no
            `0` | no
            `453952601815908x` | no
            `x539526018159083` | no
            `4539 5260 1815 9083` | no
            `-539526018159083` | no
            `٠٠٠٠٠٠٠٠٠` | no
            `000000000é` | no
            """))
    func checks(_ row: Row) {
        #expect(passesLuhn(row["text"]) == row.flag("passes"))
    }

    /// Changing any one digit of a number that passes makes it fail.
    @Test(arguments: ["4539526018159083", "371131067924708", "79927398713"])
    func findsEveryChangedDigit(_ number: String) {
        for position in number.indices {
            for digit in "0123456789" where digit != number[position] {
                var changed = number
                changed.replaceSubrange(position...position, with: String(digit))
                #expect(!passesLuhn(changed))
            }
        }
    }
}
