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
                        body: "NewItems", more: [507], storage: newItemStorage),
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
                        [("200", json("The erasure.", .reference("schemas", "Erasure")))], storage: nil),
                ]
            ),
            (
                "/tokens",
                [
                    "post": call(
                        "createTokens", "The same as POST /aliases (Vault API v1).", [("201", created)],
                        body: "NewItems", more: [507], storage: newItemStorage)
                ]
            ),
        ]
    }

    private static let namedStorage = "An alias of another storage counts as unknown."
    private static let newItemStorage =
        "An alias that an item names, of another storage, counts as unknown. Refused (400) where any item has `value`: its `storage` is a member of the item."

    /// - Parameter storage: what `storage` in the query does; nil where it does nothing.
    private static func call(
        _ id: String, _ summary: String, _ success: [(String, JSONValue)], body: String? = nil, query: Bool = false,
        more: [Int] = [], storage: String? = namedStorage
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
        if let storage {
            parameters.append([
                "name": "storage", "in": "query", "description": .string(storage),
                "schema": ["type": "string", "enum": ["PERSISTENT", "VOLATILE"]],
            ])
        }
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
        members.append(("responses", .object(success + refusals(callRefusals + more, "VaultErrors"))))
        return .object(members)
    }

    /// `VaultErrors<status>` for each status of the vault plane.
    static var vaultErrorResponses: [(String, JSONValue)] {
        (callRefusals + [507]).sorted().map { status in
            (
                "VaultErrors\(status)",
                [
                    "description": .string(VaultErrors.title(of: status)), "headers": .object(headers(of: status)),
                    "content": ["application/json": OpenAPIExamples.body(.reference("schemas", "VaultErrors"))],
                ]
            )
        }
    }

    private static let storage: JSONValue = ["type": "string", "enum": ["PERSISTENT", "VOLATILE"]]
    private static let texts: JSONValue = ["type": "array", "items": ["type": "string"]]
    /// Of a request. At most 1,024 bytes each, which a schema cannot say: its lengths are of code points.
    private static let classifiers: JSONValue = [
        "type": "array", "items": ["type": "string", "minLength": 1],
        "description": .string(Vault.classifierRule.prefix(1).uppercased() + Vault.classifierRule.dropFirst() + "."),
    ]
    private static let time: JSONValue = ["type": "string", "format": "date-time"]
    private static let count: JSONValue = ["type": "integer", "minimum": 0]

    /// - Parameter maxItems: `vault.maxItems`.
    static func vaultSchemas(maxItems: Int) -> [(String, JSONValue)] {
        [("AliasFormat", ["type": "string", "enum": .array(AliasFormat.allCases.map { .string($0.rawValue) })])]
            + storedSchemas
            + requestSchemas(maxItems: maxItems) + erasureSchemas + [("VaultErrors", errorsSchema)]
    }

    /// What is told of a stored value.
    private static var storedSchemas: [(String, JSONValue)] {
        let stored = JSONValue.reference("schemas", "Stored")
        let alias: JSONValue = [
            "type": "object", "required": ["alias", "format"],
            "properties": ["alias": ["type": "string"], "format": .reference("schemas", "AliasFormat")],
        ]
        return [
            (
                "Stored",
                [
                    "type": "object", "required": ["value", "classifiers", "aliases", "storage"],
                    "properties": [
                        "value": ["type": "string"], "classifiers": texts,
                        "aliases": ["type": "array", "items": alias], "created_at": time, "expires_at": time,
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
        ]
    }

    private static func requestSchemas(maxItems: Int) -> [(String, JSONValue)] {
        let named: JSONValue = [
            "type": "object", "required": ["data"], "additionalProperties": false,
            "properties": [
                "data": [
                    "type": "array", "minItems": 1, "maxItems": .number(JSONNumber(maxItems)),
                    "items": ["type": "string", "minLength": 1],
                ],
                "storage": storage,
            ],
        ]
        let classified: JSONValue = [
            "type": "object", "required": ["classifier"], "additionalProperties": false,
            "properties": ["classifier": ["type": "string", "minLength": 1], "storage": storage],
        ]
        return [
            ("NewItems", items(maxItems: maxItems)),
            (
                "Classifiers",
                data([
                    "type": "object", "required": ["classifiers"], "properties": ["classifiers": classifiers],
                    "additionalProperties": false,
                ])
            ),
            ("Deletion", ["oneOf": [named, classified]]),
        ]
    }

    private static var erasureSchemas: [(String, JSONValue)] {
        [
            (
                "ErasureBegun",
                [
                    "type": "object", "required": ["erasure", "count"],
                    "properties": ["erasure": ["type": "string"], "count": count],
                ]
            ),
            (
                "Erasure",
                [
                    "type": "object",
                    "required": ["erasure", "status", "count", "erased", "aliases", "damaged", "created_at"],
                    "properties": [
                        "erasure": ["type": "string"], "status": ["type": "string", "enum": ["running", "done"]],
                        "count": count, "erased": count, "aliases": count, "damaged": count, "created_at": time,
                        "finished_at": time,
                    ],
                ]
            ),
        ]
    }

    private static var errorsSchema: JSONValue {
        let error: JSONValue = [
            "type": "object", "required": ["status", "title", "detail", "href"],
            "properties": [
                "status": ["type": "integer"], "title": ["type": "string"], "detail": ["type": "string"],
                "href": ["type": "string"],
            ],
        ]
        return [
            "type": "object", "required": ["errors"],
            "properties": [
                "requestId": ["type": "string"], "type": ["type": "string"], "detail": ["type": "string"],
                "errors": ["type": "array", "minItems": 1, "items": error],
            ],
        ]
    }

    private static func data(_ schema: JSONValue) -> JSONValue {
        ["type": "object", "required": ["data"], "properties": ["data": schema], "additionalProperties": false]
    }

    private static func items(maxItems: Int) -> JSONValue {
        let format = JSONValue.reference("schemas", "AliasFormat")
        return data([
            "type": "array", "minItems": 1, "maxItems": .number(JSONNumber(maxItems)),
            "items": [
                "oneOf": [
                    [
                        "type": "object", "required": ["value", "format"], "additionalProperties": false,
                        "properties": [
                            "value": ["type": "string"], "format": format, "classifiers": classifiers,
                            "storage": storage,
                            "ttl": [
                                "type": "string",
                                "description":
                                    "How long it is stored, from `1s` to `36500d`, such as `30m` or `180d`, in whole numbers.",
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
