import Testing

@testable import FormSchema

/// `docs/reference/fields.md` section 12.
@Suite struct FileTests {
    @Test(
        arguments: table(
            """
            spec | value | code | error | length | empty
            `` | - | - | `` | 0 | yes
            `'isRequired':true` | - | 1101 | FILE_NOT_FOUND | 0 | yes
            `'isRequiredValidOnly':true` | - | - | `` | 0 | yes
            `'isValidIfPresent':true` | - | - | `` | 0 | yes
            `` | `` | - | `` | 0 | yes
            `'isRequiredValidOnly':true` | `` | - | `` | 0 | yes
            `'isValidIfPresent':true` | `` | - | `` | 0 | yes
            `'isRequired':true` | `` | 1102 | FILE_TYPE | 0 | yes
            `` | `AA==` | - | `` | 1 | no
            `` | `AAA=` | - | `` | 2 | no
            `` | `AAAA` | - | `` | 3 | no
            `` | `+/+/` | - | `` | 3 | no
            `` | `AA=` | 1102 | FILE_TYPE | 0 | no
            `` | `AA` | 1102 | FILE_TYPE | 0 | no
            `` | `AAA` | 1102 | FILE_TYPE | 0 | no
            `` | `A===` | 1102 | FILE_TYPE | 0 | no
            `` | `====` | 1102 | FILE_TYPE | 0 | no
            `` | `=` | 1102 | FILE_TYPE | 0 | no
            `` | `AA==AAAA` | 1102 | FILE_TYPE | 0 | no
            `` | `A=A=` | 1102 | FILE_TYPE | 0 | no
            `` | `-_-_` | 1102 | FILE_TYPE | 0 | no
            `` | `AA==␤` | 1102 | FILE_TYPE | 0 | no
            `` | `AAAA␤AAAA` | 1102 | FILE_TYPE | 0 | no
            `` | ` AAAA` | 1102 | FILE_TYPE | 0 | no
            `` | `data:;base64,AAAA` | 1102 | FILE_TYPE | 0 | no
            `` | `é===` | 1102 | FILE_TYPE | 0 | no
            `'file':{'maxBytes':3}` | `AAA=` | - | `` | 2 | no
            `'file':{'maxBytes':3}` | `AAAA` | 1103 | FILE_SIZE | 3 | no
            `'file':{'maxBytes':3}` | `AAAAAA==` | 1103 | FILE_SIZE | 4 | no
            `'file':{'maxBytes':1}` | `AA==` | 1103 | FILE_SIZE | 1 | no
            `'file':{'maxBytes':3,'contentTypes':['image/png']}` | `AAAA` | 1103 | FILE_SIZE | 3 | no
            `'file':{'contentTypes':['image/png']}` | `AAAA` | 1102 | FILE_TYPE | 3 | no
            `'file':{'contentTypes':['image/png']}` | `iVBORw0KGgo=` | - | `` | 8 | no
            `'file':{'contentTypes':['image/png']}` | `iVBORw0KGg==` | 1102 | FILE_TYPE | 7 | no
            """))
    func judges(_ row: Row) throws {
        let spec = row["spec"].isEmpty ? "" : "," + row["spec"]
        let form = try TestForm("{'name':'f','type':'file'\(spec)}")
        let evaluation = row["value"] == "-" ? try form.evaluate("{}") : try form.evaluate(texts: ["f": row["value"]])
        let result = try evaluation.result("f")
        #expect(result.errors == row.errors("error"))
        #expect(result.inputLength == Int(row["length"]))
        #expect(result.isEmpty == row.flag("empty"))
        #expect(result.isDirty == (row["value"] != "-"))
        #expect(evaluation.verdict.contains(#""redacted":"""#))
        #expect(code(of: evaluation.refusal) == row["code"])
        if row["code"] == "-" {
            #expect(evaluation.raw == #"{"f":""# + (row["value"] == "-" ? "" : row["value"]) + #""}"#)
            #expect(evaluation.data == "{}")
            #expect(evaluation.aliasItems.isEmpty)
        }
    }

    private func code(of refusal: Evaluation.Refusal?) -> String {
        guard case .file(let file) = refusal else { return refusal == nil ? "-" : "1001" }
        switch file.reason {
        case .notFound: return "1101"
        case .typeNotSupported: return "1102"
        case .tooLarge: return "1103"
        }
    }

    @Test func tooLargeFileTellsLimitAndSize() throws {
        let form = try TestForm("{'name':'docs.id','type':'file','file':{'maxBytes':4}}")
        guard case .file(let file) = try form.evaluate("{'docs.id':'AAECAwQ='}").refusal,
            case .tooLarge(let limit, let size) = file.reason
        else { throw Unexpected() }
        #expect(file.fieldName == "docs.id")
        #expect(limit == 4)
        #expect(size == 5)
    }

    private struct Unexpected: Error {}

    /// 1001 comes first; then the first failing file in form order.
    @Test func orderOfRefusals() throws {
        let form = try TestForm(
            """
            {'name':'a','type':'file'},{'name':'b','type':'file','isRequired':true},{'name':'c','maxInputLength':1}
            """)
        #expect(code(of: try form.evaluate("{'a':'!','c':'xx'}").refusal) == "1001")
        #expect(try form.evaluate("{'a':'!','c':'xx'}").refused?.requiredValid == ["c"])
        #expect(code(of: try form.evaluate("{'a':'!'}").refusal) == "1102")
        #expect(code(of: try form.evaluate("{'a':'AAAA'}").refusal) == "1101")
        #expect(code(of: try form.evaluate("{'a':'AAAA','b':'AAAA'}").refusal) == "-")
    }

    @Test func fileStandsBesideTheOtherFieldsAndExtraData() throws {
        let form = try TestForm(
            "{'name':'docs.passport','type':'file'},{'name':'owner'}", top: "'omitEmptyFields':true,")
        let evaluation = try form.evaluate(
            "{'docs.passport':'iVBORw0KGgo=','owner':'Ann'}", extraData: "{'docs':{'n':1}}")
        #expect(evaluation.raw == #"{"docs":{"n":1,"passport":"iVBORw0KGgo="},"owner":"Ann"}"#)
        #expect(try evaluation.redacted() == evaluation.raw)
        #expect(evaluation.data == #"{"owner":"Ann"}"#)
        #expect(try form.evaluate("{}").raw == "{}")
    }

    /// Types by leading bytes.
    @Test(
        arguments: table(
            """
            type | bytes
            image/png | 89 50 4E 47 0D 0A 1A 0A 00
            - | 89 50 4E 47 0D 0A 1A
            image/jpeg | FF D8 FF E0
            - | FF D8
            image/gif | 47 49 46 38 37 61
            image/gif | 47 49 46 38 39 61
            text/plain | 47 49 46 38 38 61
            image/webp | 52 49 46 46 00 00 00 00 57 45 42 50
            - | 52 49 46 46 00 00 00 00 57 41 56 45
            image/tiff | 49 49 2A 00
            image/tiff | 4D 4D 00 2A
            application/pdf | 25 50 44 46 2D 31 2E 37
            text/plain | 25 50 44 46
            image/heic | 00 00 00 18 66 74 79 70 68 65 69 63 00 00 00 00 6D 69 66 31 68 65 69 63
            image/heic | 00 00 00 18 66 74 79 70 6D 69 66 31 00 00 00 00 6D 69 66 31 68 65 69 63
            - | 00 00 00 18 66 74 79 70 69 73 6F 6D 00 00 00 00 69 73 6F 6D 61 76 63 31
            - | 00 00 00 08 66 74 79 70
            - | 00 00 00 00 66 74 79 70 00 00 00 00
            - | FF FF FF FF 66 74 79 70 00 00 00 00
            text/plain | 68 69
            text/plain | C3 A9
            - | C3
            - | 68 00 69
            - | ED A0 80
            - | C0 80
            """))
    func recognises(_ row: Row) {
        let bytes = row.list("bytes").compactMap { UInt8($0, radix: 16) }
        #expect(ContentType(of: bytes)?.rawValue ?? "-" == row["type"])
    }

    /// The limit that holds without `maxBytes`, by the body limit of the server.
    @Test(
        arguments: table(
            """
            body | maxBytes | loads
            - | - | yes
            - | 24000000 | yes
            - | 1 | yes
            - | 0 | no
            - | 30000000 | yes
            1048576 | - | yes
            1048576 | 700000 | yes
            1048576 | 800000 | no
            1048576 | 24000000 | no
            40000000 | 24000000 | yes
            40000000 | 29000000 | yes
            40000000 | 9223372036854775807 | no
            - | 9223372036854775807 | no
            100 | - | yes
            9223372036854775807 | - | yes
            """))
    func limits(_ row: Row) throws {
        let file = row["maxBytes"] == "-" ? "" : ",'file':{'maxBytes':\(row["maxBytes"])}"
        let (schema, log) = try TestForm.load(
            "{'form':'f','fields':[{'name':'f','type':'file'\(file)}]}", in: .context(bodyLimit: Int(row["body"])))
        #expect((schema != nil) == row.flag("loads"), "\(log.mistakes)")
        #expect(log.mistakes.allSatisfy { $0.path == "fields[0].file.maxBytes" })
        guard let limit = schema?.fields.first?.file?.maxBytes else { return }
        if row["maxBytes"] != "-" { #expect(limit == Int(row["maxBytes"])) }
        if row["maxBytes"] == "-", row["body"] == "-" { #expect(limit == 24_000_000) }
        if let body = Int(row["body"]), row["maxBytes"] == "-", body > 2048, body < 1 << 40 {
            #expect(limit <= 24_000_000)
            #expect(limit / 3 * 4 < body)
            #expect(limit / 3 * 4 > body - 4096, "as much as fits")
        }
    }

    @Test func refusedLimitNamesTheOneItNeeds() throws {
        let (_, log) = try TestForm.load(
            "{'form':'f','fields':[{'name':'f','type':'file','file':{'maxBytes':900000}}]}",
            in: .context(bodyLimit: 1 << 20))
        let message = try #require(log.mistakes.first?.message)
        #expect(message.contains("server.limits.body"))
        #expect(message.contains("1201024"))
    }
}
