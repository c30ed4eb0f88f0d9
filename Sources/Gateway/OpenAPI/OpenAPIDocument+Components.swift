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
        "WWWAuthenticate": ["schema": ["type": "string"], "description": "How to authenticate."],
    ]

    /// Headers of a response that clients may keep.
    static let tagged: JSONValue = [
        "X-Request-Id": .reference("headers", "XRequestId"),
        "ETag": ["schema": ["type": "string"], "description": "For `If-None-Match`."],
    ]

    static let parameters: JSONValue = [
        "XRequestId": [
            "name": "X-Request-Id", "in": "header",
            "description":
                "Taken over if it has 1 to 128 letters, digits, `.`, `_` and `-`, and no card number or SSN in it; otherwise the gateway makes one.",
            "schema": ["type": "string"],
        ],
        "IdempotencyKey": [
            "name": "Idempotency-Key", "in": "header",
            "description": "A repeated request under the same key gets the first response again.",
            "schema": ["type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"],
        ],
        "VGSRouteId": [
            "name": "VGS-Route-Id", "in": "header", "description": "Of a VGS tenant; checked on every kind of route.",
            "schema": ["type": "string", "pattern": "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})?$"],
        ],
        "IfNoneMatch": ["name": "If-None-Match", "in": "header", "schema": ["type": "string"]],
    ]

    /// A response with a JSON body.
    ///
    /// - Parameter example: one of a form's own; nil for that of the schema's name.
    static func json(_ description: String, _ schema: JSONValue, example: JSONValue? = nil) -> JSONValue {
        let body = example.map { ["schema": schema, "example": $0] } ?? OpenAPIExamples.body(schema)
        return [
            "description": .string(description), "headers": ["X-Request-Id": .reference("headers", "XRequestId")],
            "content": ["application/json": body],
        ]
    }

    // MARK: Problems

    /// `Problem<status>` for each status, with an example for each type.
    static var problemResponses: [(String, JSONValue)] {
        Set(ProblemCatalogue.rows.map(\.status)).sorted().map { status in
            let rows = ProblemCatalogue.rows(status)
            let examples = rows.map { row in
                (row.type, ["summary": .string(row.meaning), "value": example(row)] as JSONValue)
            }
            return (
                "Problem\(status)",
                [
                    "description": .string(rows.map(\.meaning).joined(separator: " Or: ")),
                    "headers": headers(of: status),
                    "content": [
                        "application/problem+json": [
                            "schema": .reference("schemas", "Problem"), "examples": .object(examples),
                        ]
                    ],
                ]
            )
        }
    }

    private static func headers(of status: Int) -> JSONValue {
        var members: [(String, JSONValue)] = [("X-Request-Id", .reference("headers", "XRequestId"))]
        switch status {
        case 401: members.append(("WWW-Authenticate", .reference("headers", "WWWAuthenticate")))
        case 405: members.append(("Allow", .reference("headers", "Allow")))
        case 429:
            members.append(("Retry-After", .reference("headers", "RetryAfter")))
            members.append(("RateLimit", .reference("headers", "RateLimit")))
            members.append(("RateLimit-Policy", .reference("headers", "RateLimitPolicy")))
        case 409, 503: members.append(("Retry-After", .reference("headers", "RetryAfter")))
        default: break
        }
        return .object(members)
    }

    private static func example(_ row: ProblemCatalogue.Row) -> JSONValue {
        [
            "type": .string("urn:cloakroom:problem:" + row.type), "title": .string(row.meaning),
            "status": .number(JSONNumber(row.status)), "detail": .string(row.remedy),
            "instance": "/v1/forms/checkout/aliases",
            "requestId": "0193a6f2-5c11-7b60-8e0f-3f6a52d1c904",
            "error": [
                "domain": .string(row.domain.rawValue), "code": .number(JSONNumber(row.code)),
                "type": .string(row.type),
                "userInfo": ["NSLocalizedDescription": .string(row.meaning), "extraInfo": [:]],
            ],
        ]
    }

    // MARK: Schemas

    /// - Parameter maxItems: `vault.maxItems`.
    static func schemas(maxItems: Int) -> [(String, JSONValue)] {
        [
            ("FieldState", fieldState), ("FormDescription", formDescription), ("FormList", formListSchema),
            ("CreatedAliases", createdAliases), ("Problem", problem),
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
            "type": ["enum": ["none", "cardNumber", "expDate", "date", "cvc", "cardHolderName", "ssn", "file"]],
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

    private static let formDescription: JSONValue = [
        "type": "object", "required": ["form", "timeZone", "fields"],
        "properties": [
            "form": ["type": "string"], "title": ["type": "string"], "timeZone": ["type": "string"],
            "fields": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["fieldName", "type", "isRequired"],
                    "properties": [
                        "fieldName": ["type": "string"], "type": ["type": "string"], "isRequired": ["type": "boolean"],
                        "isRequiredValidOnly": ["type": "boolean"], "isValidIfPresent": ["type": "boolean"],
                        "formatPattern": ["type": "string"], "divider": ["type": "string"],
                        "maxInputLength": ["type": "integer"],
                        "inputMode": ["type": "string"], "autocomplete": ["type": "string"],
                        "enterKeyHint": ["type": "string", "enum": ["next", "done"]],
                        "isTokenized": ["type": "boolean"],
                    ],
                ],
            ],
            "cardBrands": ["type": "object"],
        ],
    ]

    private static let formListSchema: JSONValue = [
        "type": "object", "required": ["forms"],
        "properties": [
            "forms": [
                "type": "array",
                "items": [
                    "type": "object", "required": ["form"],
                    "properties": ["form": ["type": "string"], "title": ["type": "string"]],
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
                        "storage": ["enum": ["PERSISTENT", "VOLATILE"]],
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
                "type": ["enum": .array(types.map(JSONValue.string))], "title": ["type": "string"],
                "status": ["type": "integer"], "detail": ["type": "string"], "instance": ["type": "string"],
                "requestId": ["type": "string"],
                "error": [
                    "type": "object", "required": ["domain", "code", "type", "userInfo"],
                    "properties": [
                        "domain": ["enum": ["vgscollect.sdk", "NSURLErrorDomain", "cloakroom"]],
                        "code": ["enum": .array(codes.map { .number(JSONNumber($0)) })], "type": ["type": "string"],
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

    static let formList: JSONValue = [
        "get": [
            "tags": ["forms"], "operationId": "listForms", "summary": "All forms, in short.", "security": [[:]],
            "parameters": [.reference("parameters", "XRequestId")],
            "responses": .object(
                [("200", json("The forms.", .reference("schemas", "FormList")))]
                    + [400, 405, 408, 413, 414, 417, 429, 431, 500, 501, 503, 505].map {
                        (String($0), .reference("responses", "Problem\($0)"))
                    }),
        ]
    ]

    /// The call that returns this document.
    static let description: JSONValue = [
        "get": [
            "tags": ["operations"], "operationId": "getOpenAPI", "summary": "This document.", "security": [[:]],
            "responses": [
                "200": json("The document.", ["type": "object"]), "404": .reference("responses", "Problem404"),
                "405": .reference("responses", "Problem405"), "429": .reference("responses", "Problem429"),
            ],
        ]
    ]
}
