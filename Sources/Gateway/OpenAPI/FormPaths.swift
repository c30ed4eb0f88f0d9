import Configuration
import FormSchema
import JSON
import Vault

/// The paths of one form.
struct FormPaths {
    private let form: FormSchema
    private let route: Route?
    private let environment: VaultEnvironment
    /// Whether a remote vault makes the aliases: what it refuses reaches the caller as it is.
    private let hasRemoteVault: Bool

    init(_ form: FormSchema, _ configuration: Configuration, environment: VaultEnvironment) {
        self.form = form
        self.environment = environment
        hasRemoteVault = configuration.vault.remote != nil
        route = form.route.flatMap { name in configuration.routes.first { $0.name == name } }
    }

    /// Name of a component that belongs to a form: its id, which is unique, and what it is.
    static func component(_ form: FormSchema, _ suffix: String) -> String { "\(form.form).\(suffix)" }

    var paths: [(String, JSONValue)] {
        let base = "/v1/forms/\(form.form)"
        var paths: [(String, JSONValue)] = [
            (base, ["get": describe]),
            (base + "/validate", ["post": validate]),
            (base + "/aliases", ["post": tokenize("aliases", "Vault API v2", form.access.aliases)]),
            (base + "/tokens", ["post": tokenize("tokens", "Vault API v1", form.access.tokens)]),
        ]
        if let route {
            let operations = route.methods.map { method in (method.lowercased(), send(method, to: route)) }
            paths.append((base + "/send/{path}", .object([("parameters", [Self.pathParameter])] + operations)))
        }
        return paths
    }

    /// No control character and no backslash.
    static let pathSchema: JSONValue = [
        "type": "string", "maxLength": 2_048, "pattern": #"^[^\u0000-\u001f\u007f-\u009f\\]*$"#,
    ]

    private static let pathParameter: JSONValue = [
        "name": "path", "in": "path", "required": true,
        "description":
            "Appended to the route's base path. It may have several segments, each percent-encoded by itself.",
        "schema": pathSchema, "example": "orders",
    ]

    // MARK: Calls

    private var describe: JSONValue {
        operation(
            "describe", "What a client needs to draw the form.", body: nil, access: .public,
            success: [
                (
                    "200",
                    [
                        "description": "The form.", "headers": OpenAPIDocument.tagged,
                        "content": [
                            "application/json": [
                                "schema": .reference("schemas", "FormDescription"),
                                "example": OpenAPIExamples.description(of: form) ?? .null,
                            ]
                        ],
                    ]
                ), ("304", ["description": "Not changed since `If-None-Match`.", "headers": OpenAPIDocument.tagged]),
            ], problems: OpenAPIDocument.anyRefusals + [404],
            parameters: [.reference("parameters", "IfNoneMatch")])
    }

    private var validate: JSONValue {
        operation(
            "validate", "The state of every field. Invalid input is a result here, not an error.", body: "Draft",
            access: form.access.validate,
            success: [
                (
                    "200",
                    OpenAPIDocument.json(
                        "The states.", .reference("schemas", Self.component(form, "State")),
                        example: OpenAPIExamples.states(of: form))
                )
            ],
            problems: OpenAPIDocument.callRefusals)
    }

    private func tokenize(_ name: String, _ api: String, _ access: FormSchema.Caller) -> JSONValue {
        let example = OpenAPIExamples.created(by: form, environment: environment)
        let isEmpty = example?.object?["aliases"]?.array?.isEmpty == true
        let schema = JSONValue.reference("schemas", "CreatedAliases")
        let headers = OpenAPIDocument.replayHeaders
        let created = OpenAPIDocument.json(
            "The aliases, by field name.", schema, example: isEmpty ? nil : example, headers: headers)
        let nothing = OpenAPIDocument.json(
            "Nothing was to alias.", schema, example: isEmpty ? example : ["data": [:], "aliases": []], headers: headers
        )
        return operation(
            name, "Validates, then creates aliases (\(api)).", body: "Submission", access: access,
            success: [("201", created), ("200", nothing)]
                + (hasRemoteVault
                    ? [
                        (
                            "default",
                            OpenAPIDocument.passed("What the remote vault responded instead.", headers: headers)
                        )
                    ] : []),
            problems: OpenAPIDocument.callRefusals + [409, 422, 502, 504, 507], isPassed: hasRemoteVault,
            parameters: [.reference("parameters", "IdempotencyKey"), .reference("parameters", "FormVersion")])
    }

    private func send(_ method: String, to route: Route) -> JSONValue {
        let passed = OpenAPIDocument.passed(
            "What the upstream responded, whatever its status.", headers: OpenAPIDocument.replayHeaders)
        let echoed = OpenAPIDocument.json(
            "The body that an upstream would have got.", ["type": "object"], headers: OpenAPIDocument.replayHeaders)
        let isEcho = route.kind == .echo
        return operation(
            "send\(method.prefix(1))\(method.dropFirst().lowercased())",
            "Validates, then forwards to the route `\(route.name)`.", body: "Submission",
            access: form.access.send, success: isEcho ? [("200", echoed)] : [("default", passed)],
            problems: OpenAPIDocument.callRefusals
                + (isEcho && !hasRemoteVault ? [409, 422, 507] : [409, 422, 502, 504, 507]),
            isPassed: !isEcho,
            parameters: [
                .reference("parameters", "IdempotencyKey"), .reference("parameters", "FormVersion"),
                .reference("parameters", "VGSRouteId"),
            ])
    }

    // MARK: Parts

    /// - Parameter isPassed: whether any status may be that of an upstream's response.
    private func operation(
        _ name: String, _ summary: String, body: String?, access: FormSchema.Caller, success: [(String, JSONValue)],
        problems: [Int], isPassed: Bool = false, parameters: [JSONValue] = []
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("tags", ["forms"]), ("operationId", .string("\(form.form).\(name)")), ("summary", .string(summary)),
            ("parameters", .array([.reference("parameters", "XRequestId")] + parameters)),
        ]
        if let body {
            members.append(
                (
                    "requestBody",
                    [
                        "required": true,
                        "content": [
                            "application/json": [
                                "schema": .reference("schemas", Self.component(form, body)),
                                "example": form.sampleSubmission,
                            ]
                        ],
                    ]
                ))
        }
        let anonymous: JSONValue = [:]
        let proven: [JSONValue] = [["bearer": []], ["basic": []]]
        // Credentials are optional where the operation is public.
        members.append(("security", .array(access == .public ? [anonymous] + proven : proven)))
        let refusals = OpenAPIDocument.refusals(problems, isPassed ? "Passed" : "Problem")
        members.append(("responses", .object(success + refusals)))
        return .object(members)
    }
}
