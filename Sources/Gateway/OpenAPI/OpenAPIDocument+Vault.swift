import JSON
import Vault

/// The vault plane (`docs/reference/vault-api.md` sections 2 and 3).
extension OpenAPIDocument {
    static var vaultPaths: [(String, JSONValue)] {
        let created = json(
            "The values with their aliases, in request order.", .reference("schemas", "StoredList"),
            example: OpenAPIExamples.created)
        let one = json("The value, in an array of one.", .reference("schemas", "StoredList"))
        let several = json("The values, keyed by alias.", .reference("schemas", "StoredByAlias"))
        let begun = json(
            "The erasure has begun.", .reference("schemas", "ErasureBegun"),
            headers: [
                ("Location", ["schema": ["type": "string"], "description": "Where to ask how far an erasure has got."])
            ])
        let done = empty("Done.")
        return [
            (
                "/aliases",
                [
                    "post": call(
                        "createAliases", "Creates aliases, or adds aliases to values.", [("201", created)],
                        body: "NewItems", more: [507], namesAliases: false),
                    "get": call("revealAliases", "Reveals several aliases.", [("200", several)], query: true),
                ]
            ),
            (
                "/aliases/{alias}",
                [
                    "parameters": [
                        [
                            "name": "alias", "in": "path", "required": true,
                            "schema": ["type": "string", "minLength": 1],
                        ]
                    ],
                    "get": call("revealAlias", "Reveals one alias.", [("200", one)]),
                    "put": call(
                        "replaceClassifiers", "Replaces the value's classifiers.", [("204", done)], body: "Classifiers"),
                    "delete": call(
                        "deleteAlias", "Deletes the alias; the value goes with its last alias.", [("204", done)]),
                ]
            ),
            (
                "/aliases/delete",
                [
                    "post": call(
                        "deleteAliases",
                        "Deletes aliases: all or none. Or begins to erase all values with a classifier.",
                        [("202", begun), ("204", done)], body: "Deletion")
                ]
            ),
            (
                "/erasures/{id}",
                [
                    "parameters": [
                        ["name": "id", "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
                    ],
                    "get": call(
                        "getErasure", "How far an erasure by classifier has got; for 30 days after its end.",
                        [("200", json("The erasure.", .reference("schemas", "Erasure")))], namesAliases: false),
                ]
            ),
            (
                "/tokens",
                [
                    "post": call(
                        "createTokens", "The same as POST /aliases (Vault API v1).", [("201", created)],
                        body: "NewItems", more: [507], namesAliases: false)
                ]
            ),
        ]
    }

    private static let vaultErrors = [400, 401, 403, 404, 405, 408, 413, 414, 415, 417, 429, 431, 500, 501, 503, 505]

    private static func call(
        _ id: String, _ summary: String, _ success: [(String, JSONValue)], body: String? = nil, query: Bool = false,
        more: [Int] = [], namesAliases: Bool = true
    ) -> JSONValue {
        var parameters: [JSONValue] = [.reference("parameters", "XRequestId")]
        if query {
            for name in ["q", "aliases"] {
                parameters.append([
                    "name": .string(name), "in": "query",
                    "description": "Aliases, separated by commas. Exactly one of `q` and `aliases`.",
                    "schema": ["type": "string", "minLength": 1],
                ])
            }
        }
        if namesAliases {
            parameters.append([
                "name": "storage", "in": "query", "description": "An alias of another storage counts as unknown.",
                "schema": ["enum": ["PERSISTENT", "VOLATILE"]],
            ])
        }
        let errors = (vaultErrors + more).map { (String($0), JSONValue.reference("responses", "VaultErrors\($0)")) }
        var members: [(String, JSONValue)] = [
            ("tags", ["vault"]), ("operationId", .string(id)), ("summary", .string(summary)),
            ("parameters", .array(parameters)), ("security", [["bearer": []], ["basic": []]]),
        ]
        if let body {
            members.append(
                (
                    "requestBody",
                    [
                        "required": true,
                        "content": ["application/json": OpenAPIExamples.body(.reference("schemas", body))],
                    ]
                ))
        }
        members.append(("responses", .object(success + errors)))
        return .object(members)
    }

    /// `VaultErrors<status>` for each status of the vault plane.
    static var vaultErrorResponses: [(String, JSONValue)] {
        (vaultErrors + [507]).map { status in
            var headers = anyHeaders
            switch status {
            case 401: headers.append(("WWW-Authenticate", .reference("headers", "WWWAuthenticate")))
            case 405: headers.append(("Allow", .reference("headers", "Allow")))
            case 429, 503: headers.append(("Retry-After", .reference("headers", "RetryAfter")))
            default: break
            }
            return (
                "VaultErrors\(status)",
                [
                    "description": .string(VaultErrors.title(of: status)), "headers": .object(headers),
                    "content": ["application/json": OpenAPIExamples.body(.reference("schemas", "VaultErrors"))],
                ]
            )
        }
    }

    /// - Parameter maxItems: `vault.maxItems`.
    static func vaultSchemas(maxItems: Int) -> [(String, JSONValue)] {
        let formats = JSONValue.array(AliasFormat.allCases.map { .string($0.rawValue) })
        let storage: JSONValue = ["enum": ["PERSISTENT", "VOLATILE"]]
        let texts: JSONValue = ["type": "array", "items": ["type": "string"]]
        let stored = JSONValue.reference("schemas", "Stored")
        return [
            ("AliasFormat", ["enum": formats]),
            (
                "Stored",
                [
                    "type": "object", "required": ["value", "classifiers", "aliases", "storage"],
                    "properties": [
                        "value": ["type": "string"], "classifiers": texts,
                        "aliases": [
                            "type": "array",
                            "items": [
                                "type": "object", "required": ["alias", "format"],
                                "properties": [
                                    "alias": ["type": "string"], "format": .reference("schemas", "AliasFormat"),
                                ],
                            ],
                        ],
                        "created_at": ["type": "string", "format": "date-time"],
                        "expires_at": ["type": "string", "format": "date-time"],
                        "storage": storage,
                    ],
                ]
            ),
            (
                "StoredList",
                ["type": "object", "required": ["data"], "properties": ["data": ["type": "array", "items": stored]]]
            ),
            (
                "StoredByAlias",
                [
                    "type": "object", "required": ["data"],
                    "properties": ["data": ["type": "object", "additionalProperties": stored]],
                ]
            ),
            ("NewItems", items(storage: storage, texts: texts, maxItems: maxItems)),
            (
                "Classifiers",
                data([
                    "type": "object", "required": ["classifiers"], "properties": ["classifiers": texts],
                    "additionalProperties": false,
                ])
            ),
            (
                "Deletion",
                [
                    "oneOf": [
                        [
                            "type": "object", "required": ["data"], "additionalProperties": false,
                            "properties": [
                                "data": [
                                    "type": "array", "minItems": 1, "maxItems": .number(JSONNumber(maxItems)),
                                    "items": ["type": "string", "minLength": 1],
                                ],
                                "storage": storage,
                            ],
                        ],
                        [
                            "type": "object", "required": ["classifier"], "additionalProperties": false,
                            "properties": ["classifier": ["type": "string", "minLength": 1], "storage": storage],
                        ],
                    ]
                ]
            ),
            (
                "ErasureBegun",
                [
                    "type": "object", "required": ["erasure", "count"],
                    "properties": ["erasure": ["type": "string"], "count": ["type": "integer", "minimum": 0]],
                ]
            ),
            (
                "Erasure",
                [
                    "type": "object",
                    "required": ["erasure", "status", "count", "erased", "aliases", "damaged", "created_at"],
                    "properties": [
                        "erasure": ["type": "string"], "status": ["enum": ["running", "done"]],
                        "count": ["type": "integer", "minimum": 0], "erased": ["type": "integer", "minimum": 0],
                        "aliases": ["type": "integer", "minimum": 0], "damaged": ["type": "integer", "minimum": 0],
                        "created_at": ["type": "string", "format": "date-time"],
                        "finished_at": ["type": "string", "format": "date-time"],
                    ],
                ]
            ),
            (
                "VaultErrors",
                [
                    "type": "object", "required": ["errors"],
                    "properties": [
                        "requestId": ["type": "string"], "type": ["type": "string"], "detail": ["type": "string"],
                        "errors": [
                            "type": "array", "minItems": 1,
                            "items": [
                                "type": "object", "required": ["status", "title", "detail", "href"],
                                "properties": [
                                    "status": ["type": "integer"], "title": ["type": "string"],
                                    "detail": ["type": "string"],
                                    "href": ["type": "string"],
                                ],
                            ],
                        ],
                    ],
                ]
            ),
        ]
    }

    private static func data(_ schema: JSONValue) -> JSONValue {
        ["type": "object", "required": ["data"], "properties": ["data": schema], "additionalProperties": false]
    }

    private static func items(storage: JSONValue, texts: JSONValue, maxItems: Int) -> JSONValue {
        let format = JSONValue.reference("schemas", "AliasFormat")
        return data([
            "type": "array", "minItems": 1, "maxItems": .number(JSONNumber(maxItems)),
            "items": [
                "oneOf": [
                    [
                        "type": "object", "required": ["value", "format"], "additionalProperties": false,
                        "properties": [
                            "value": ["type": "string"], "format": format, "classifiers": texts, "storage": storage,
                            "ttl": [
                                "type": "string", "description": "How long it is stored, such as `30m` or `180d`.",
                            ],
                            "expires_at": [
                                "type": "string", "format": "date-time",
                                "description": "In place of `ttl`: when it is erased.",
                            ],
                        ],
                    ],
                    [
                        "type": "object", "required": ["alias", "format"], "additionalProperties": false,
                        "properties": [
                            "alias": ["type": "string", "minLength": 1], "format": format, "storage": storage,
                        ],
                    ],
                ]
            ],
        ])
    }
}
