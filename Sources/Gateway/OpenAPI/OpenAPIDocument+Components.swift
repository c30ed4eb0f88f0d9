import FormSchema
import JSON

/// What all forms share.
extension OpenAPIDocument {
    // MARK: Headers and parameters

    static let headers: JSONValue = [
        "XRequestId": [
            "schema": ["type": "string"], "description": "Names this request in logs. It is on every response.",
        ],
        "RetryAfter": [
            "schema": ["type": "integer", "minimum": 0], "description": "Seconds until another attempt may succeed.",
        ],
        "Allow": ["schema": ["type": "string"], "description": "Methods of this path."],
        "RateLimit": [
            "schema": ["type": "string"],
            "description": "If requests are limited: what the strictest limit leaves, and until when.",
        ],
        "RateLimitPolicy": ["schema": ["type": "string"], "description": "The limits that apply to the caller."],
        "XRateLimitRemaining": [
            "schema": ["type": "integer", "minimum": 0],
            "description":
                "If requests are limited: how many the strictest limit leaves, for clients of the VGS Vault API.",
        ],
        "WWWAuthenticate": ["schema": ["type": "string"], "description": "How to authenticate."],
        "IdempotencyReplayed": [
            "schema": ["type": "string", "const": "true"],
            "description":
                "The response was stored for the Idempotency-Key, and nothing was done now; stored errors have it, too.",
        ],
        "IdempotentReplayed": [
            "schema": ["type": "string", "const": "true"],
            "description": "`Idempotency-Replayed` by its name in earlier releases.",
        ],
        "FormVersion": [
            "schema": ["type": "string"],
            "description": "Names the form's description, for the request header of that name.",
        ],
        "UpstreamStatus": [
            "schema": ["type": "integer"],
            "description": "The status of an upstream's response: on that, and on nothing else.",
        ],
    ]

    /// Headers that any response of the client listener may have.
    static let anyHeaders: [(String, JSONValue)] = [
        ("X-Request-Id", .reference("headers", "XRequestId")), ("RateLimit", .reference("headers", "RateLimit")),
        ("RateLimit-Policy", .reference("headers", "RateLimitPolicy")),
        ("x-ratelimit-remaining", .reference("headers", "XRateLimitRemaining")),
    ]

    /// Headers of the response to a call that takes an Idempotency-Key.
    static let replayHeaders: [(String, JSONValue)] = [
        ("Idempotency-Replayed", .reference("headers", "IdempotencyReplayed")),
        ("Idempotent-Replayed", .reference("headers", "IdempotentReplayed")),
    ]

    /// Headers of a response that clients may keep.
    static let tagged: JSONValue = .object(
        anyHeaders + [
            ("ETag", ["schema": ["type": "string"], "description": "For `If-None-Match`."]),
            ("Cloakroom-Form-Version", .reference("headers", "FormVersion")),
        ])

    static let parameters: JSONValue = [
        "XRequestId": [
            "name": "X-Request-Id", "in": "header",
            "description":
                "Taken over if it has 1 to 128 letters, digits, `.`, `_` and `-`, and no card number or SSN in it; otherwise the gateway makes one.",
            "schema": ["type": "string"],
        ],
        "IdempotencyKey": [
            "name": "Idempotency-Key", "in": "header",
            "description":
                "A repeated request under the same key gets the first response again, also a refusal: a corrected submission is another request and takes a new key. 1 to 255 printable ASCII characters.",
            "schema": ["type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"],
        ],
        "VGSRouteId": [
            "name": "VGS-Route-Id", "in": "header", "description": "Of a VGS tenant; checked on every kind of route.",
            "schema": ["type": "string", "pattern": "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$"],
        ],
        "FormVersion": [
            "name": "Cloakroom-Form-Version", "in": "header",
            "description":
                "The description that the submission was made by, as its response has named it. If the form has another one, nothing is stored or sent: 409 `formChanged`.",
            "schema": ["type": "string"],
        ],
        "IfNoneMatch": [
            "name": "If-None-Match", "in": "header", "description": "Answers 304 if the tag is still the same.",
            "schema": ["type": "string"],
        ],
        // No call names it: it is for the gateway's own frames.
        "PageOrigin": [
            "name": "Cloakroom-Page-Origin", "in": "header",
            "description":
                "Hosted fields name the page around them in it, for sessions that are bound to an origin. In requests from other origins it is not looked at.",
            "schema": ["type": "string"],
        ],
    ]

    /// A response with a JSON body.
    ///
    /// - Parameters:
    ///   - example: one of the configuration's own; nil for that of the schema's name.
    ///   - headers: besides those of any response.
    static func json(
        _ description: String, _ schema: JSONValue, example: JSONValue? = nil, headers: [(String, JSONValue)] = []
    ) -> JSONValue {
        let body = example.map { ["schema": schema, "example": $0] } ?? OpenAPIExamples.body(schema)
        return [
            "description": .string(description), "headers": .object(anyHeaders + headers),
            "content": ["application/json": body],
        ]
    }

    /// A response without a body.
    static func empty(_ description: String) -> JSONValue {
        ["description": .string(description), "headers": .object(anyHeaders)]
    }

    /// A response of an upstream, which may be anything. JSON is named besides: openapi-python-client leaves out a response with no type
    /// but `*/*`, and takes what the upstream has carried out for an error. Without a schema, for with one it reads the body as JSON,
    /// which fails for any other.
    static func passed(_ description: String, headers: [(String, JSONValue)] = []) -> JSONValue {
        [
            "description": .string(description), "headers": .object(anyHeaders + [upstreamStatus] + headers),
            "content": ["application/json": [:], "*/*": [:]],
        ]
    }

    private static let upstreamStatus = ("Cloakroom-Upstream-Status", JSONValue.reference("headers", "UpstreamStatus"))

    // MARK: Problems

    /// Statuses with which any call may be refused.
    static let anyRefusals = [400, 405, 408, 413, 414, 417, 429, 431, 500, 501, 503, 505]
    /// And those of calls with a body, whose caller must be known.
    static let callRefusals = anyRefusals + [401, 403, 404, 415]

    /// The responses to refusals, `<component><status>` each.
    static func refusals(_ statuses: [Int], _ component: String = "Problem") -> [(String, JSONValue)] {
        statuses.sorted().map { (String($0), .reference("responses", "\(component)\($0)")) }
    }

    /// `Problem<status>` for each status, with an example for each type.
    static var problemResponses: [(String, JSONValue)] {
        statuses.map { status in
            (
                "Problem\(status)",
                [
                    "description": .string(meaning(of: status)),
                    "headers": .object(headers(of: status) + replayHeaders),
                    "content": ["application/problem+json": problemBody(status)],
                ]
            )
        }
    }

    /// `Passed<status>` for each status: the gateway's problem, or an upstream's response that has the same status.
    static var passedResponses: [(String, JSONValue)] {
        statuses.map { status in
            (
                "Passed\(status)",
                [
                    "description": .string(meaning(of: status) + " Or the upstream responded with this status."),
                    "headers": .object(
                        headers(of: status) + [upstreamStatus] + replayHeaders),
                    "content": ["application/problem+json": problemBody(status), "*/*": [:]],
                ]
            )
        }
    }

    private static var statuses: [Int] { Set(ProblemCatalogue.rows.map(\.status)).sorted() }

    private static func meaning(of status: Int) -> String {
        ProblemCatalogue.rows(status).map(\.meaning).joined(separator: " Or: ")
    }

    private static func problemBody(_ status: Int) -> JSONValue {
        let examples = ProblemCatalogue.rows(status).map { row in
            (
                row.type,
                [
                    "summary": .string(row.meaning), "description": .string(row.remedy),
                    "value": OpenAPIExamples.problem(row.example),
                ] as JSONValue
            )
        }
        return ["schema": .reference("schemas", "Problem"), "examples": .object(examples)]
    }

    /// Those of a refusal.
    static func headers(of status: Int) -> [(String, JSONValue)] {
        switch status {
        case 401: anyHeaders + [("WWW-Authenticate", .reference("headers", "WWWAuthenticate"))]
        case 405: anyHeaders + [("Allow", .reference("headers", "Allow"))]
        case 409, 429, 503: anyHeaders + [("Retry-After", .reference("headers", "RetryAfter"))]
        default: anyHeaders
        }
    }

    // MARK: Schemas

    /// - Parameter maxItems: `vault.maxItems`.
    static func schemas(maxItems: Int) -> [(String, JSONValue)] {
        [
            ("FieldState", fieldState), ("FormDescription", formDescription), ("FormList", formListSchema),
            ("CreatedAliases", createdAliases), ("Problem", problem), ("Health", health),
        ] + sessionSchemas + vaultSchemas(maxItems: maxItems)
    }

    private static let fieldState: JSONValue = [
        "type": "object",
        "required": [
            "fieldName", "type", "isRequired", "isRequiredValidOnly", "isValid", "isEmpty", "isDirty", "isComplete",
            "isMaskSatisfied", "inputLength", "validationErrors", "redacted",
        ],
        "properties": [
            "fieldName": ["type": "string"],
            "type": fieldType,
            "isRequired": ["type": "boolean"], "isRequiredValidOnly": ["type": "boolean"],
            "isValid": ["type": "boolean"],
            "isEmpty": ["type": "boolean"],
            "isDirty": ["type": "boolean", "description": "Whether the submission had the field."],
            "isComplete": ["type": "boolean"], "isMaskSatisfied": ["type": "boolean"],
            "inputLength": ["type": "integer", "minimum": 0],
            "validationErrors": ["type": "array", "items": ["type": "string"]],
            "cardBrand": ["type": "string"], "cardBrandName": ["type": "string"], "bin": ["type": "string"],
            "last4": ["type": "string"],
            "redacted": ["type": "string", "description": "The text with its characters hidden."],
        ],
    ]

    private static let formListSchema: JSONValue = [
        "type": "object", "required": ["forms"],
        "properties": [
            "forms": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["form"],
                    "properties": ["form": ["type": "string"], "title": ["type": ["string", "null"]]],
                ],
            ]
        ],
    ]

    private static let createdAliases: JSONValue = [
        "type": "object", "required": ["data", "aliases"],
        "properties": [
            "data": [
                "type": "object", "additionalProperties": ["type": "string"], "description": "Flat, by field name.",
            ],
            "aliases": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["fieldName", "alias", "format", "storage"],
                    "properties": [
                        "fieldName": ["type": "string"], "alias": ["type": "string"], "format": ["type": "string"],
                        "storage": ["type": "string", "enum": ["PERSISTENT", "VOLATILE"]],
                    ],
                ],
            ],
        ],
    ]

    private static var problem: JSONValue {
        let types = Set(ProblemCatalogue.rows.map { "urn:cloakroom:problem:" + $0.type }).sorted()
        let codes = Set(ProblemCatalogue.rows.map(\.code)).sorted()
        return [
            "type": "object", "required": ["type", "title", "status", "detail", "error"],
            "description": "RFC 9457, with the VGSError inside.",
            "properties": [
                "type": ["type": "string", "enum": .array(types.map(JSONValue.string))], "title": ["type": "string"],
                "status": ["type": "integer"], "detail": ["type": "string"], "instance": ["type": "string"],
                "requestId": ["type": "string"],
                "error": [
                    "type": "object", "required": ["domain", "code", "type", "userInfo"],
                    "properties": [
                        "domain": ["type": "string", "enum": ["vgscollect.sdk", "NSURLErrorDomain", "cloakroom"]],
                        "code": ["type": "integer", "enum": .array(codes.map { .number(JSONNumber($0)) })],
                        "type": ["type": "string"],
                        "userInfo": [
                            "type": "object", "required": ["NSLocalizedDescription", "extraInfo"],
                            "properties": [
                                "key": ["type": "string"], "NSLocalizedDescription": ["type": "string"],
                                "extraInfo": ["type": "object"],
                            ],
                        ],
                    ],
                ],
                "fields": [
                    "type": "object", "additionalProperties": .reference("schemas", "FieldState"),
                    "description": "The states of all fields, where the problem is about them.",
                ],
            ],
        ]
    }

    /// - Parameter forms: those that are hosted.
    static func formList(_ forms: [FormSchema]) -> JSONValue {
        let list = forms.map { form -> JSONValue in
            ["form": .string(form.form), "title": form.title.map(JSONValue.string) ?? .null]
        }
        let body = json("The forms.", .reference("schemas", "FormList"), example: ["forms": .array(list)])
        return [
            "get": [
                "tags": ["forms"], "operationId": "listForms", "summary": "All forms, in short.", "security": [[:]],
                "parameters": [.reference("parameters", "XRequestId")],
                "responses": .object([("200", body)] + refusals(anyRefusals)),
            ]
        ]
    }

    /// The call that returns this document.
    static let description: JSONValue = [
        "get": [
            "tags": ["operations"], "operationId": "getOpenAPI", "summary": "This document.", "security": [[:]],
            "responses": .object(
                [("200", json("The document.", ["type": "object"]))] + refusals(anyRefusals + [404])),
        ]
    ]
}
