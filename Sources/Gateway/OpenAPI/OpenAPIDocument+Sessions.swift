import Access
import JSON

/// Sessions and the token endpoint (`docs/reference/access.md` sections 2 and 3).
extension OpenAPIDocument {
    static var sessionPaths: [(String, JSONValue)] {
        [
            (
                "/v1/sessions",
                [
                    "post": call(
                        "createSession", "Makes a session for a form.",
                        ("201", json("The session.", .reference("schemas", "Session"))),
                        security: [["bearer": []], ["basic": []]], body: "NewSession", more: [403, 415])
                ]
            ),
            (
                "/v1/sessions/current",
                [
                    "delete": call(
                        "endSession", "Ends the session that the request presents.",
                        ("204", empty("It is ended.")), security: [["bearer": []]])
                ]
            ),
            ("/oauth/token", ["post": token("createToken")]),
            ("/auth/realms/vgs/protocol/openid-connect/token", ["post": token("createTokenVGS")]),
        ]
    }

    private static let problems = anyRefusals + [401, 404]

    private static func call(
        _ id: String, _ summary: String, _ success: (String, JSONValue), security: JSONValue, body: String? = nil,
        more: [Int] = []
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("tags", ["sessions"]), ("operationId", .string(id)), ("summary", .string(summary)),
            ("parameters", [.reference("parameters", "XRequestId")]), ("security", security),
        ]
        if let body {
            let content: JSONValue = ["application/json": OpenAPIExamples.body(.reference("schemas", body))]
            members.append(("requestBody", ["required": true, "content": content]))
        }
        members.append(("responses", .object([success] + refusals(problems + more))))
        return .object(members)
    }

    /// The client credentials grant of OAuth 2.0. All its errors have the form of RFC 6749 section 5.2.
    private static func token(_ id: String) -> JSONValue {
        let refusals: [(String, JSONValue)] = problems.sorted().map { status in
            let description =
                status == 401 ? "The client is not known, or its secret is wrong." : VaultErrors.title(of: status)
            return (
                String(status),
                [
                    "description": .string(description), "headers": .object(headers(of: status)),
                    "content": ["application/json": OpenAPIExamples.body(.reference("schemas", "TokenError"))],
                ]
            )
        }
        let responses: [(String, JSONValue)] =
            [
                (
                    "200",
                    json(
                        "An access token.", .reference("schemas", "AccessToken"),
                        headers: [
                            (
                                "Pragma",
                                [
                                    "schema": ["type": "string", "const": "no-cache"],
                                    "description": "`no-cache` (RFC 6749 section 5.1).",
                                ]
                            )
                        ])
                )
            ] + refusals
        return [
            "tags": ["sessions"], "operationId": .string(id),
            "summary": "Gives an access token for a credential (RFC 6749 section 4.4).",
            "parameters": [.reference("parameters", "XRequestId")], "security": [[:], ["basic": []]],
            "requestBody": [
                "required": true,
                "content": [
                    "application/x-www-form-urlencoded": OpenAPIExamples.body(.reference("schemas", "TokenRequest"))
                ],
            ],
            "responses": .object(responses),
        ]
    }

    static var sessionSchemas: [(String, JSONValue)] {
        let operations: JSONValue = [
            "type": "array", "minItems": 1, "uniqueItems": true,
            "items": ["type": "string", "enum": ["validate", "aliases", "tokens", "send"]],
        ]
        let text: JSONValue = ["type": "string"]
        return [
            (
                "NewSession",
                [
                    "type": "object", "required": ["form"], "additionalProperties": false,
                    "properties": [
                        "form": ["type": "string", "minLength": 1, "maxLength": 256], "operations": operations,
                        "ttl": ["type": "string", "description": "A time such as `15m`; at most 24h."],
                        "maxRequests": ["type": "integer", "minimum": 1, "maximum": 1_000_000],
                        "origin": ["type": "string", "description": "As the browser sends it in `Origin`."],
                        "paths": [
                            "type": "array", "minItems": 1, "maxItems": 16,
                            "items": ["type": "string", "minLength": 1, "maxLength": 256, "pattern": "^/"],
                            "description": "The only upstream paths of `send`.",
                        ],
                    ],
                ]
            ),
            (
                "Session",
                [
                    "type": "object", "required": ["session", "expiresAt", "form", "operations"],
                    "properties": [
                        "session": ["type": "string", "description": "To be sent as a Bearer token."],
                        "expiresAt": ["type": "string", "format": "date-time"], "form": text,
                        "operations": operations,
                    ],
                ]
            ),
            (
                "TokenRequest",
                [
                    "type": "object", "required": ["grant_type"],
                    "properties": [
                        "grant_type": ["type": "string", "const": "client_credentials"], "client_id": text,
                        "client_secret": text,
                        "scope": text,
                    ],
                ]
            ),
            (
                "AccessToken",
                [
                    "type": "object", "required": ["access_token", "token_type", "expires_in", "scope"],
                    "properties": [
                        "access_token": text, "token_type": ["type": "string", "const": "Bearer"],
                        "expires_in": ["type": "integer"],
                        "scope": text,
                    ],
                ]
            ),
            (
                "TokenError",
                [
                    "type": "object", "required": ["error"],
                    "properties": [
                        "error": [
                            "type": "string",
                            "enum": .array(TokenEndpointError.Code.allCases.map { .string($0.rawValue) }),
                        ],
                        "error_description": text,
                    ],
                ]
            ),
        ]
    }
}
