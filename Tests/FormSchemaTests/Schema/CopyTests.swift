import JSON
import Testing

@testable import FormSchema

/// Each loop judges by a copy of the form.
@Suite struct CopyTests {
    private static let everything = """
        {'name':'card','type':'cardNumber','tokenization':{'format':'FPE_SIX_T_FOUR'}},
        {'name':'cvc','type':'cvc','isRequired':true,'tokenization':{'format':'UUID','storage':'VOLATILE'}},
        {'name':'second','type':'cvc','validationRules':[{'rule':'pattern','pattern':'^[0-8]+$','error':'NINE'}]},
        {'name':'exp','type':'expDate','serializers':[{'expDate':{'month':'s.m','year':'s.y'}}]},
        {'name':'ssn','type':'ssn','divider':'.','isValidIfPresent':true},
        {'name':'code','formatPattern':'AA-*#a','divider':'::','maxInputLength':9},
        {'name':'phone','mask':['(',{'pattern':'[2-9]'},{'pattern':'[a-z]','case':'upper'},')'],
        'transform':[{'matcher':'[^0-9]'},{'case':'upper'}],
        'validation':'^[0-9]+$'},
        {'name':'free','transform':[{'matcher':'(.)(.)?','replacement':'$2$1'}]},{'name':'file','type':'file'}
        """
    private static let top = """
        'title':'t','timeZone':'Europe/Berlin','allowedOrigins':['*'],'fieldNameMappingPolicy':'nestedJSON','lenientInput':true,
        'omitEmptyFields':true,'route':'orders','access':{'validate':'credential'},
        'cardBrands':{'custom':[{'name':'house','prefixes':['91-92'],'lengths':[11],'cvcLengths':[5],
        'formatPattern':'#### ### ####','checksum':'none'}],'unknown':{'cvcLengths':[7]}},
        """

    private static func form() throws -> FormSchema { try TestForm(everything, top: top).schema }

    @Test func describesAndJudgesAsItsOriginal() throws {
        let form = try Self.form()
        let copy = try #require(FormSchema.copies(of: [form]).first)
        #expect(written { copy.writeDescription(into: &$0) } == written { form.writeDescription(into: &$0) })
        #expect(written { copy.writeSummary(into: &$0) } == written { form.writeSummary(into: &$0) })
        var generator = SeededGenerator(seed: 7)
        for round in 0..<2_000 {
            var fields = JSONObject()
            for field in form.fields where Bool.random(using: &generator) {
                fields.set(field.name, .string(generator.text(upTo: 16)))
            }
            if round % 3 == 0 { fields.set("card", .string("9150 123 4567")) }
            if round % 5 == 0 { fields.set("card", .string("4539 1488 0343 6467")) }
            if round % 7 == 0 { fields.set("phone", .string("(2b)")) }
            var submission = JSONObject()
            submission.set("fields", .object(fields))
            let one = form.evaluate(try Submission(.object(submission), for: form), today: try clock())
            let other = copy.evaluate(try Submission(.object(submission), for: copy), today: try clock())
            #expect(other.verdict == one.verdict)
            #expect(other.rawBody == one.rawBody)
            #expect(try other.redacted() == one.redacted())
            #expect(other.refused?.required == one.refused?.required)
            #expect(other.refused?.requiredValid == one.refused?.requiredValid)
            #expect(other.aliasItems.map(\.format) == one.aliasItems.map(\.format))
        }
    }

    @Test func sharesNoObject() throws {
        let form = try Self.form()
        let copy = try #require(FormSchema.copies(of: [form]).first)
        #expect(copy.cardBrands !== form.cardBrands && copy.cardBrands.unknown !== form.cardBrands.unknown)
        for (one, other) in zip(form.cardBrands.brands, copy.cardBrands.brands) {
            #expect(one !== other && one.pattern !== other.pattern && one.cvcPattern !== other.cvcPattern)
        }
        for (one, other) in zip(form.fields, copy.fields) {
            #expect(one !== other && one.pattern !== other.pattern)
            #expect(one.validation == nil || one.validation !== other.validation)
            #expect(one.tokenization == nil || one.tokenization !== other.tokenization)
            #expect(zip(one.entries, other.entries).allSatisfy { $0 !== $1 })
            #expect(zip(one.transforms, other.transforms).allSatisfy { $0.matcher == nil || $0.matcher !== $1.matcher })
            for (rule, copied) in zip(one.rules, other.rules) {
                #expect(rule !== copied && (rule.pattern == nil || rule.pattern !== copied.pattern))
            }
        }
    }

    /// Copies made together share the brands that their originals share, and no others.
    @Test func sharesBrandsAmongCopies() throws {
        let plain = try TestForm("{'name':'card','type':'cardNumber'}").schema
        let forms = [plain, try TestForm("{'name':'n'}").schema, try Self.form()]
        let copies = FormSchema.copies(of: forms)
        let others = FormSchema.copies(of: forms)
        #expect(copies.map(\.form) == forms.map(\.form))
        let (first, second) = (copies[0].cardBrands, copies[1].cardBrands)
        #expect(first !== second && zip(first.brands, second.brands).allSatisfy { $0 === $1 })
        #expect(first.unknown === second.unknown && first.unknown !== copies[2].cardBrands.unknown)
        #expect(zip(first.brands, others[0].cardBrands.brands).allSatisfy { $0 !== $1 })
        #expect(copies[2].cardBrands.brands.map(\.id) == forms[2].cardBrands.brands.map(\.id))
    }
}
