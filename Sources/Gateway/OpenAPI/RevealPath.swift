import Configuration
import JSON
import Vault

/// The path of a reveal route (`docs/reference/proxy.md` section 7).
struct RevealPath {
    private let route: Route
    private let rules: RevealRules
    private let alias: String

    /// Nil for a route of another kind.
    init?(_ route: Route, environment: VaultEnvironment) {
        guard case .reveal(_, let rules) = route.target else { return nil }
        self.route = route
        self.rules = rules
        alias = OpenAPIExamples.alias(environment)
    }

    var path: (String, JSONValue) {
        let passed = OpenAPIDocument.passed("What the upstream responded, with aliases in place of values.")
        let refusals = OpenAPIDocument.refusals(OpenAPIDocument.callRefusals + [502, 504], "Passed")
        let operations = route.methods.map { method -> (String, JSONValue) in
            var members: [(String, JSONValue)] = [
                ("tags", ["reveal"]), ("operationId", "\(route.name).\(method.lowercased())"),
                ("summary", "Puts values in place of aliases and forwards to the route `\(route.name)`."),
                ("parameters", .array([.reference("parameters", "XRequestId")] + parameters)),
                ("security", [["bearer": []], ["basic": []]]),
            ]
            if method != "GET" { members.append(("requestBody", body)) }
            return (method.lowercased(), .object(members + [("responses", .object([("default", passed)] + refusals))]))
        }
        let parameter: JSONValue = [
            "name": "path", "in": "path", "required": true,
            "description": "Appended to the route's base path; the query goes with it.", "schema": FormPaths.pathSchema,
            "example": "charges",
        ]
        return ("/v1/routes/\(route.name)/{path}", .object([("parameters", [parameter])] + operations))
    }

    /// What may hold an alias beside the body. OpenAPI 3.1 keeps some names of headers for itself (section 4.8.12).
    private var parameters: [JSONValue] {
        let kept = ["accept", "content-type", "authorization"]
        let headers = rules.headers.filter { !kept.contains($0.lowercased()) }
        return headers.map { parameter($0, in: "header") } + rules.query.map { parameter($0, in: "query") }
    }

    private func parameter(_ name: String, in place: String) -> JSONValue {
        [
            "name": .string(name), "in": .string(place), "schema": ["type": "string"],
            "description": "An alias in it is revealed; in a header also as a `Bearer` token, or in `Basic`.",
        ]
    }

    // MARK: The body

    /// What the route reads, with an alias at each place that it names. Forms are described in words: where a body has two
    /// media types and one of them has no schema, openapi-python-client generates a function that cannot be called.
    private var body: JSONValue {
        var content: [(String, JSONValue)] = []
        if rules.body != .no { content.append(("application/json", ["schema": [:], "example": json])) }
        // Other bodies pass unread.
        if rules.body == .no || rules.body == .yes { content.append(("*/*", ["schema": [:]])) }
        var members: [(String, JSONValue)] = []
        if rules.body != .no, let form {
            members.append(
                ("description", .string("JSON, or `application/x-www-form-urlencoded`, as in `\(form)`.")))
        }
        members += [("required", .bool(!rules.require.isEmpty)), ("content", .object(content))]
        return .object(members)
    }

    /// Where aliases may stand by the route's own word.
    private var pointers: [JSONPointer] {
        if case .pointers(let pointers) = rules.body { return rules.require + pointers }
        return rules.require
    }

    private var json: JSONValue {
        let usual = ["card", "number"]
        let places = pointers.isEmpty ? [usual] : pointers.map(\.tokens).sorted { $0.count > $1.count }
        return places.reduce(JSONValue?.none) { put(.string(alias), at: $1[...], in: $0) } ?? .string(alias)
    }

    /// A form that the route reads. Nil if no name can stand for a pointer that must hold an alias, or for any.
    private var form: String? {
        let names = pointers.filter { $0.tokens.count == 1 }.compactMap(\.tokens.first)
        guard rules.require.allSatisfy({ $0.tokens.count == 1 }), !names.isEmpty || pointers.isEmpty else { return nil }
        return (names.isEmpty ? ["*"] : names).map { ($0 == "*" ? "number" : $0) + "=" + alias }.joined(separator: "&")
    }

    /// `json` with `value` at the place. What stands there already stays: a `*` or `0` makes an array where there is nothing.
    private func put(_ value: JSONValue, at tokens: ArraySlice<String>, in json: JSONValue?) -> JSONValue {
        guard let token = tokens.first else { return json ?? value }
        let rest = tokens.dropFirst()
        switch json {
        case .object(var members):
            for name in token == "*" ? members.members.map(\.key) : [token] {
                members.set(name, put(value, at: rest, in: members[name]))
            }
            return .object(members)
        case .array(let elements):
            guard token == "*" || token == "0" else { return .array(elements) }
            return .array([put(value, at: rest, in: elements.first)])
        case nil:
            let inner = put(value, at: rest, in: nil)
            return token == "*" || token == "0" ? [inner] : .object([(token, inner)])
        case let other?: return other
        }
    }
}
