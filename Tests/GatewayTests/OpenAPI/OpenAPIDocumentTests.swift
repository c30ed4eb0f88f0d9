import Configuration
import FileTesting
import FormSchema
import JSON
import Testing

@testable import Gateway

/// The OpenAPI document against what generators of clients need, and against what the gateway writes.
@Suite struct OpenAPIDocumentTests {
    /// With a field of each kind, and a brand of its own.
    private static let form = """
        form: all
        title: All
        route: orders
        cardBrands:
          custom:
            - {name: Store, prefixes: ["9100-9149"], lengths: [16], cvcLengths: [3], formatPattern: "#### #### #### ####", checksum: none}
        fields:
          - {name: card, type: cardNumber, isRequired: true, maxInputLength: 19, tokenization: {}}
          - {name: exp, type: expDate, inputDateFormat: shortYear, outputDateFormat: longYear}
          - {name: date, type: date, inputDateFormat: ddmmyyyy, outputDateFormat: yyyymmdd}
          - {name: cvc, type: cvc, tokenization: {}}
          - {name: holder, type: cardHolderName, maxInputLength: 3}
          - {name: ssn, type: ssn}
          - {name: scan, type: file, file: {maxBytes: 500, contentTypes: [application/pdf]}}
          - {name: code, formatPattern: "AA-##", divider: "/"}
          - {name: note, maxInputLength: 3}
          - {name: phone, mask: "(###) CC"}
          - {name: upper, transform: {case: upper}, maxInputLength: 3}

        """

    private static let configuration = """
        vault: {sqlite: {path: vault.db}, masterKey: {file: master.key, generate: true}}
        forms: forms
        routes:
          - {name: orders, kind: upstream, url: "https://orders.example", methods: [POST]}
          - {name: acquirer, kind: reveal, url: "https://acquirer.example", methods: [POST]}

        """

    private static let loaded = Result {
        let folder = try TemporaryFolder(["cloakroom.yaml": configuration, "forms/all.yaml": form])
        let loaded = Configuration.load(file: folder.path + "/cloakroom.yaml")
        return try #require(loaded.configuration, "\(loaded.mistakes)")
    }

    private static func document() throws -> JSONValue { try .parse(OpenAPIDocument(try loaded.get()).bytes) }

    /// Schemas of the document with their places, those within one another too.
    private static func schemas(_ value: JSONValue, at place: String, into found: inout [(String, JSONObject)]) {
        if let object = value.object {
            found.append((place, object))
            for member in object.members where !["example", "examples"].contains(member.key) {
                guard member.key == "properties", let properties = member.value.object else {
                    schemas(member.value, at: "\(place)/\(member.key)", into: &found)
                    continue
                }
                for property in properties.members {
                    schemas(property.value, at: "\(place)/\(property.key)", into: &found)
                }
            }
        }
        for element in value.array ?? [] { schemas(element, at: "\(place)[]", into: &found) }
    }

    /// Without it generators make a type that takes anything, or a file.
    @Test func fixedValuesHaveAType() throws {
        var found: [(String, JSONObject)] = []
        Self.schemas(try Self.document(), at: "", into: &found)
        let fixed = found.filter { $0.1["const"] != nil || $0.1["enum"] != nil }
        #expect(fixed.count > 20)
        for (place, schema) in fixed { #expect(schema["type"]?.string != nil, "\(place)") }
    }

    /// JSON Schema counts code points, the gateway counts characters: a generated client would refuse what the gateway takes.
    @Test func lengthsOfFieldsAreToldInWords() throws {
        let schemas = try Self.document().member("components")?.member("schemas")
        for name in ["all.Submission", "all.Draft"] {
            let fields = schemas?.member(name)?.member("properties")?.member("fields")?.member("properties")
            for (field, words) in [
                ("card", "At most 19 letters and digits; other characters do not count."),
                ("holder", "At most 3 characters (grapheme clusters)."),
                ("note", "At most 3 characters (grapheme clusters)."),
                ("upper", "At most 3 characters (grapheme clusters)."), ("cvc", nil), ("scan", nil),
            ] {
                let schema = try #require(fields?.member(field))
                #expect(schema.member("description")?.string == words && schema.member("maxLength") == nil, "\(field)")
            }
        }
    }

    /// What the gateway writes for a form of every kind of field is in the schema, and nothing else is.
    @Test func theDescriptionOfAFormIsThatOfTheSchema() throws {
        let form = try #require(try Self.loaded.get().forms.first)
        var written = JSONWriter()
        form.writeDescription(into: &written)
        let schema = try #require(
            try Self.document().member("components")?.member("schemas")?.member("FormDescription"))
        var seen: Set<String> = []
        Self.compare(try .parse(written.bytes), schema, at: "", &seen)
        var known: Set<String> = []
        Self.names(schema, at: "", &known)
        #expect(seen == known)
    }

    /// The value has the schema's type, its required members, and none that the schema lacks. The form for the engine is not looked into.
    private static func compare(_ value: JSONValue, _ schema: JSONValue, at place: String, _ seen: inout Set<String>) {
        if let choices = schema.member("oneOf")?.array {
            guard let choice = choices.first(where: { $0.kinds.contains(value.kind) }) else {
                Issue.record("\(place) is none of the choices")
                return
            }
            return compare(value, choice, at: place, &seen)
        }
        #expect(schema.kinds.contains(value.kind), "\(place) is \(value.kind)")
        for element in value.array ?? [] {
            compare(element, schema.member("items") ?? .null, at: place + "[]", &seen)
        }
        guard let object = value.object, place != "/schema" else { return }
        for name in schema.member("required")?.array ?? [] {
            #expect(object[name.string ?? ""] != nil, "\(place)/\(name.string ?? "") is required")
        }
        for member in object.members {
            let inner = "\(place)/\(member.key)"
            seen.insert(inner)
            guard let property = schema.member("properties")?.member(member.key) else {
                Issue.record("\(inner) is not in the schema")
                continue
            }
            compare(member.value, property, at: inner, &seen)
        }
    }

    /// The places of all properties of the schema.
    private static func names(_ schema: JSONValue, at place: String, _ names: inout Set<String>) {
        if let items = schema.member("items") { self.names(items, at: place + "[]", &names) }
        for choice in schema.member("oneOf")?.array ?? [] { self.names(choice, at: place, &names) }
        for property in schema.member("properties")?.object?.members ?? [] {
            names.insert("\(place)/\(property.key)")
            self.names(property.value, at: "\(place)/\(property.key)", &names)
        }
    }

    /// Generators leave out a response that has no type but `*/*`, and read a body by its schema, if there is one.
    @Test(arguments: ["/v1/forms/all/send/{path}", "/v1/routes/acquirer/{path}"])
    func whatAnUpstreamRespondsIsAlsoJSON(_ path: String) throws {
        let operation = try Self.document().member("paths")?.member(path)?.member("post")
        let content = try #require(operation?.member("responses")?.member("default")?.member("content")?.object)
        #expect(content.members.map(\.key) == ["application/json", "*/*"])
        #expect(content.members.allSatisfy { $0.value.object?.members.isEmpty == true })
    }

    @Test(arguments: ["/health/live", "/health/ready", "/metrics"])
    func operationsHaveTheHeadersAndRefusalsOfTheirListener(_ path: String) throws {
        let responses = try #require(
            try Self.document().member("paths")?.member(path)?.member("get")?.member("responses"))
        #expect(responses.member("200")?.member("headers")?.member("X-Request-Id") != nil)
        let refusal = try #require(responses.member("405"))
        #expect(refusal.member("content")?.member("application/problem+json") != nil)
        #expect(
            refusal.member("headers")?.member("Allow") != nil && refusal.member("headers")?.member("RateLimit") == nil)
        #expect(responses.member("429") == nil)
    }

    /// What `/health/ready` says of a reload is in its schema.
    @Test(arguments: ReloadReport.Outcome.allCases) func reloadsAreDescribed(_ outcome: ReloadReport.Outcome) throws {
        var written = JSONWriter()
        ReloadReport(outcome, taken: ["log.level"], needsRestart: ["vault.store"], mistakes: ["a"])
            .write(into: &written, namesMistakes: false)
        let schema = try #require(
            try Self.document().member("components")?.member("schemas")?.member("Health")?.member("properties")?
                .member("reload"))
        var (seen, known): (Set<String>, Set<String>) = ([], [])
        Self.compare(try .parse(written.bytes), schema, at: "", &seen)
        Self.names(schema, at: "", &known)
        #expect(seen == known)
        let outcomes = schema.member("properties")?.member("outcome")?.member("enum")?.array?.compactMap(\.string)
        #expect(outcomes?.contains(outcome.rawValue) == true)
    }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? { object?[name] }

    /// The kinds of JSON that the schema takes.
    fileprivate var kinds: [JSONKind] {
        let names = member("type").map { $0.array?.compactMap(\.string) ?? [$0.string ?? ""] } ?? []
        let kinds: [String: JSONKind] = [
            "null": .null, "boolean": .boolean, "integer": .number, "string": .string, "array": .array,
            "object": .object,
        ]
        return names.compactMap { kinds[$0] }
    }
}
