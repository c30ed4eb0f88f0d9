import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 6: the first code follows the first card, the second the second, wherever they stand.
@Suite struct CVCCouplingTests {
    private static let visa = "4539526018159083"
    private static let amex = "371131067924708"

    /// `n` and `m` are card numbers, `c` and `d` codes, in the order of `fields`.
    @Test(
        arguments: table(
            """
            fields | n | m | c | d | errorsC | errorsD | rawC | rawD
            n c | visa | - | 321 | - | `` | `` | 321 | ``
            n c | visa | - | 3210 | - | DROPPED_INPUT | `` | 321 | ``
            n c | amex | - | 321 | - | LENGTH_RANGE_MATCH | `` | 321 | ``
            n c | amex | - | 3210 | - | `` | `` | 3210 | ``
            n c | amex | - | 32105 | - | DROPPED_INPUT | `` | 3210 | ``
            n c | - | - | 321 | - | `` | `` | 321 | ``
            n c | - | - | 3210 | - | `` | `` | 3210 | ``
            n c | - | - | 32 | - | LENGTH_RANGE_MATCH | `` | 32 | ``
            c n | visa | - | 3210 | - | DROPPED_INPUT | `` | 321 | ``
            c n | amex | - | 3210 | - | `` | `` | 3210 | ``
            c | - | - | 3210 | - | `` | `` | 3210 | ``
            n c m d | visa | amex | 321 | 3210 | `` | `` | 321 | 3210
            n c m d | amex | visa | 321 | 3210 | LENGTH_RANGE_MATCH | DROPPED_INPUT | 321 | 321
            c d n m | amex | visa | 3210 | 321 | `` | `` | 3210 | 321
            c n d m | visa | amex | 321 | 3210 | `` | `` | 321 | 3210
            n c d | amex | - | 3210 | 321 | `` | `` | 3210 | 321
            n c d | amex | - | 3210 | 3210 | `` | `` | 3210 | 3210
            n m c | visa | amex | 321 | - | `` | `` | 321 | ``
            n m c | visa | amex | 3210 | - | DROPPED_INPUT | `` | 321 | ``
            """))
    func couples(_ row: Row) throws {
        let specs = row.list("fields").map { name in
            "{'name':'\(name)','type':'\(name == "n" || name == "m" ? "cardNumber" : "cvc")'}"
        }
        let form = try TestForm(specs.joined(separator: ","))
        let numbers = ["visa": Self.visa, "amex": Self.amex]
        let given = row.list("fields").filter { row[$0] != "-" }.map { name in
            "'\(name)':'\(numbers[row[name]] ?? row[name])'"
        }
        let evaluation = try form.evaluate("{\(given.joined(separator: ","))}")
        for (name, errors, raw) in [("c", "errorsC", "rawC"), ("d", "errorsD", "rawD")] {
            guard row.list("fields").contains(name), row[name] != "-" else { continue }
            let result = try evaluation.result(name)
            #expect(result.errors == row.errors(errors))
            #expect(result.raw == row[raw])
            #expect(result.isComplete == row.errors(errors).isEmpty)
        }
    }

    /// What a code's own keys change.
    @Test(
        arguments: table(
            """
            spec | card | text | raw | errors | mask
            `` | visa | 3210 | 321 | DROPPED_INPUT | yes
            `` | amex | 321 | 321 | LENGTH_RANGE_MATCH | no
            `'formatPattern':'#####'` | visa | 3210 | 3210 | LENGTH_RANGE_MATCH | no
            `'formatPattern':'#####'` | visa | 321 | 321 | `` | no
            `'formatPattern':'###'` | amex | 3210 | 321 | DROPPED_INPUT LENGTH_RANGE_MATCH | yes
            `'formatPattern':''` | visa | 3210 | 3210 | LENGTH_RANGE_MATCH | yes
            `'validationRules':[]` | visa | 3210 | 3210 | `` | yes
            `'validationRules':[]` | visa | 32 | 32 | `` | no
            `'validationRules':[]` | amex | 321 | 321 | `` | yes
            `'validationRules':[]` | amex | 32105 | 3210 | DROPPED_INPUT | yes
            `'validationRules':[{'rule':'length','max':3}]` | visa | 3210 | 3210 | LENGTH | yes
            `'validationRules':[{'rule':'lengthMatch','lengths':[2]}]` | visa | 32 | 32 | `` | no
            """))
    func followsItsOwnKeys(_ row: Row) throws {
        let spec = row["spec"].isEmpty ? "" : "," + row["spec"]
        let form = try TestForm("{'name':'c','type':'cvc'\(spec)},{'name':'n','type':'cardNumber'}")
        let number = row["card"] == "visa" ? Self.visa : Self.amex
        let result = try form.evaluate("{'n':'\(number)','c':'\(row["text"])'}").result("c")
        #expect(result.raw == row["raw"])
        #expect(result.errors == row.errors())
        #expect(result.isMaskSatisfied == row.flag("mask"))
    }

    /// The brand counts from the first digits on, valid number or not.
    @Test func halfTypedCardDecides() throws {
        let form = try TestForm("{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'}")
        #expect(try form.evaluate("{'n':'34','c':'3210'}").result("c").isComplete)
        #expect(try !form.evaluate("{'n':'34','c':'321'}").result("c").isValid)
        #expect(try form.evaluate("{'n':'4','c':'321'}").result("c").isComplete)
        #expect(try form.evaluate("{'n':'5','c':'3210'}").result("c").isComplete)
    }

    @Test func lenientFormCutsTheCode() throws {
        let form = try TestForm(
            "{'name':'n','type':'cardNumber'},{'name':'c','type':'cvc'}", top: "'lenientInput':true,")
        let result = try form.evaluate("{'n':'\(Self.visa)','c':'1234'}").result("c")
        #expect(result.raw == "123")
        #expect(result.isComplete)
        #expect(!result.hasHardError)
    }
}
