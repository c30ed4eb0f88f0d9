import FileTesting
import FormSchema
import Gateway
import Testing

@testable import Configuration

/// What a reveal route is told, and what `check` warns of (docs/reference/proxy.md section 7).
@Suite struct RevealSettingTests {
    private func read(_ keys: String, kind: String = "reveal", form: String = "") throws -> LoadedConfiguration {
        let url = kind == "reveal" || kind == "upstream" ? "url: \"https://h\", " : ""
        let folder = try TemporaryFolder([
            "c.yaml": "forms: forms\nroutes:\n  - {name: r, kind: \(kind), \(url)\(keys)}\n",
            "forms/a.yaml": "form: a\nfields: [{name: n\(form)}]\n",
        ])
        return Configuration.load(file: folder.path + "/c.yaml")
    }

    private func rules(_ keys: String) throws -> RevealRules {
        let loaded = try read(keys)
        guard case .reveal(_, let rules)? = try #require(loaded.configuration, "\(loaded.mistakes)").routes.last?.target
        else { return RevealRules() }
        return rules
    }

    @Test func bodies() throws {
        #expect(try rules("reveal: {}").body == .yes)
        #expect(try rules("reveal: {body: true}").body == .yes)
        #expect(try rules("reveal: {body: false}").body == .no)
        #expect(try rules("reveal: {body: require}").body == .require)
        let pointers = try ["/card/number", "/items/*/pan"].map { try #require(JSONPointer($0)) }
        let rules = try rules("reveal: {body: [/card/number, \"/items/*/pan\"], require: [/card/number]}")
        #expect(rules.body == .pointers(pointers) && rules.require == [pointers[0]])
    }

    @Test(arguments: [
        ("reveal: {body: maybe}", "reveal.body"), ("reveal: {body: []}", "reveal.body"),
        ("reveal: {body: [card]}", "reveal.body[0]"), ("reveal: {body: [1]}", "reveal.body[0]"),
        ("reveal: {require: true}", "reveal.require"), ("reveal: {require: [\"/~2\"]}", "reveal.require[0]"),
        ("guard: {pan: maybe}", "guard.pan"), ("guard: {cvc: mask}", "guard.cvc"), ("guard: mask", "guard"),
    ])
    func mistakes(keys: String, path: String) throws {
        #expect(try read(keys).mistakes.map(\.path) == ["routes[0].\(path)"])
    }

    @Test func onePointerOnTheCommandLine() throws {
        let folder = try TemporaryFolder(["c.yaml": "routes: [{name: r, kind: reveal, url: 'https://h'}]\n"])
        for (value, body) in try [
            ("/card/number", RevealRules.Body.pointers([#require(JSONPointer("/card/number"))])), ("require", .require),
            ("false", .no),
        ] {
            let override = try #require(Override("routes[0].reveal.body=\(value)"))
            let loaded = Configuration.load(file: folder.path + "/c.yaml", overrides: [override])
            guard case .reveal(_, let rules)? = loaded.configuration?.routes.last?.target else {
                Issue.record("\(loaded.mistakes)")
                continue
            }
            #expect(rules.body == body)
        }
    }

    @Test(arguments: ["echo", "upstream", "reveal", "vgs"])
    func guards(kind: String) throws {
        let tenant = kind == "vgs" ? "tenantId: t, " : ""
        let none = try read(tenant + "methods: [POST]", kind: kind).configuration?.routes.last
        #expect(none?.panGuard == nil)
        let refusing = try read(tenant + "guard: {pan: refuse}", kind: kind)
        #expect(refusing.configuration?.routes.last?.panGuard == .refuse, "\(refusing.mistakes)")
        #expect(!refusing.warnings.contains { $0.path.hasSuffix("guard") })
    }

    @Test(arguments: [
        ("routeId: caller", nil), ("routeId: callers", "must be a UUID with its hyphens, or caller"),
        ("routeId: 7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e11", nil),
    ])
    func callersNameRoutes(keys: String, mistake: String?) throws {
        let loaded = try read("tenantId: t, \(keys)", kind: "vgs")
        #expect(loaded.mistakes.map(\.message) == (mistake.map { [$0] } ?? []))
        guard case .vgs(_, let fixed)? = loaded.configuration?.routes.last?.target else { return }
        #expect((fixed == nil) == (keys == "routeId: caller"))
    }

    @Test func aCallersRouteIDNeedsRoom() throws {
        let tenant = "tenantId: \(String(repeating: "a", count: 27))"
        #expect(try read("\(tenant), routeId: caller", kind: "vgs").mistakes.map(\.path) == ["routes[0].routeId"])
        #expect(try read(tenant, kind: "vgs").mistakes.isEmpty)
    }

    private func warnings(_ keys: String, form: String) throws -> [String] {
        try read(keys, form: form).warnings.filter { $0.path.hasPrefix("routes") }.map(\.path)
    }

    /// Aliases in digits are looked up only where a pointer says so.
    @Test(arguments: [
        ("redact: []", "", []), ("redact: []", ", tokenization: {}", []),
        ("redact: []", ", type: cardNumber, tokenization: {}", ["routes[0].reveal.body"]),
        ("redact: []", ", tokenization: {format: FPE_T_FOUR}", ["routes[0].reveal.body"]),
        ("redact: []", ", tokenization: {format: GENERIC_T_FOUR}", []),
        ("redact: [{pointer: /a, format: FPE_SIX_T_FOUR}]", "", ["routes[0].reveal.body"]),
        ("redact: [], reveal: {body: require}", ", tokenization: {format: PFPT}", ["routes[0].reveal.body"]),
        ("redact: [], reveal: {body: [/a]}", ", tokenization: {format: PFPT}", []),
        ("redact: [], reveal: {body: false}", ", tokenization: {format: PFPT}", []),
        ("reveal: {body: false}", "", ["routes[0]"]),
    ])
    func routesThatNeedMore(keys: String, form: String, paths: [String]) throws {
        #expect(try warnings(keys, form: form) == paths)
    }
}
