import JSON
import Testing

@testable import FormSchema

/// A form made of JSON text, in which single quotes stand for double ones so that a row stays readable.
struct TestForm {
    let schema: FormSchema
    let warnings: [Mistake]

    /// - Parameters:
    ///   - fields: what stands in the list of fields.
    ///   - top: more top-level members, each followed by a comma.
    init(_ fields: String, top: String = "", in context: LoadContext = .testing) throws {
        let (schema, log) = try TestForm.load("{'form':'f',\(top)'fields':[\(fields)]}", in: context)
        self.schema = try #require(schema, "\(log.mistakes)")
        warnings = log.warnings
    }

    /// Loads a whole document.
    static func load(_ text: String, in context: LoadContext = .testing) throws -> (FormSchema?, MistakeLog) {
        let log = MistakeLog(file: "form.yaml")
        let document = Document(file: "form.yaml", json: try json(text))
        return (FormSchema.load(document, in: context, log: log), log)
    }

    /// Judges a submission that is written like the form.
    func evaluate(_ fields: String, extraData: String = "{}", on day: CalendarDay? = nil) throws -> Evaluation {
        let submission = try Submission(json("{'fields':\(fields),'extraData':\(extraData)}"), for: schema)
        return schema.evaluate(submission, today: try day ?? clock())
    }

    /// Judges texts by field name.
    func evaluate(texts: KeyValuePairs<String, String>, extraData: String = "{}") throws -> Evaluation {
        var fields = JSONObject()
        for (name, text) in texts { fields.set(name, .string(text)) }
        var submission = JSONObject()
        submission.set("fields", .object(fields))
        submission.set("extraData", try json(extraData))
        return schema.evaluate(try Submission(.object(submission), for: schema), today: try clock())
    }
}

extension Submission {
    /// What a client submits whose body is `value`.
    init(_ value: JSONValue, for form: FormSchema) throws(SubmissionError) {
        var writer = JSONWriter()
        writer.value(value)
        let text: JSONText
        do { text = try JSONText(parsing: writer.bytes) } catch { throw .malformed("\(error)") }
        try self.init(text, for: form)
    }
}

/// 21 November 2026, the clock of the references' examples.
func clock() throws -> CalendarDay { try #require(CalendarDay(year: 2026, month: 11, day: 21)) }

func json(_ text: String) throws -> JSONValue {
    try JSONValue.parse(Array(text.utf8.map { $0 == UInt8(ascii: "'") ? UInt8(ascii: "\"") : $0 }))
}

/// What becomes of `text` in the only field, named `f`, of a form.
/// - Parameter spec: the field's members besides its name.
func judge(_ spec: String, _ text: String?, top: String = "") throws -> FieldResult {
    let form = try TestForm("{'name':'f'\(spec.isEmpty ? "" : ",")\(spec)}", top: top)
    let evaluation = try text.map { try form.evaluate(texts: ["f": $0]) } ?? form.evaluate("{}")
    return try #require(evaluation.results.first)
}

extension Evaluation {
    /// The result of the field of that name.
    func result(_ name: String) throws -> FieldResult { results[try #require(form.index(ofField: name))] }

    /// The names in the lists of error 1001: those of `required`, then those of `requiredValid`; nil without a refusal.
    var refused: (required: [String], requiredValid: [String])? {
        if case .invalidInput(let required, let valid) = refusal { (required, valid) } else { nil }
    }

    /// The body for a vault that redacts for itself.
    var raw: String { String(decoding: rawBody, as: UTF8.self) }

    /// The redacted body, with `<fieldName>` for each alias.
    func redacted() throws -> String {
        let body = try #require(redactedBody(aliases: aliasItems.map { "<\($0.fieldName)>" }))
        return String(decoding: body, as: UTF8.self)
    }

    /// The flat answer to a client, with `<fieldName>` for each alias.
    var data: String {
        written { #expect(writeResult(aliases: aliasItems.map { "<\($0.fieldName)>" }, into: &$0)) }
    }

    /// The answer of `validate`.
    var verdict: String { written { writeVerdict(into: &$0) } }
}

/// What `write` writes.
func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

extension LoadContext {
    static let testing = context()

    static func context(maximumAliasItems: Int = 20, bodyLimit: Int? = nil, routes: Bool = true) -> LoadContext {
        let any: @Sendable (String) -> Bool = { _ in true }
        return LoadContext(
            aliasFormats: [
                "UUID": any, "RAW_UUID": any, "VGS_FIXED_LEN_GENERIC": any,
                "FPE_SIX_T_FOUR": { (12...19).contains($0.utf8.count) && $0.isAllDigits },
                "FPE_T_FOUR": { (12...19).contains($0.utf8.count) && $0.isAllDigits },
                "NUM_LENGTH_PRESERVING": { (3...16).contains($0.utf8.count) && $0.isAllDigits },
            ],
            routes: routes
                ? ["orders": .upstream, "echo": .echo, "vgs": .vgs, "acquirer": .reveal] : nil,
            maximumAliasItems: maximumAliasItems, bodyLimit: bodyLimit, patternMatchLimit: 100_000,
            timeZoneExists: { ["UTC", "America/New_York", "Europe/Berlin"].contains($0) })
    }
}
