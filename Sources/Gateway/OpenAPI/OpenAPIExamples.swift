import Access
import FormSchema
import JSON
import Sensitive
import Vault

/// An example for every body of the document. Those of a form are made by the form; these are of all others, by the name of their schema.
struct OpenAPIExamples {
    /// A body of the media type with this schema: its schema, and an example if there is one.
    static func body(_ schema: JSONValue) -> JSONValue {
        guard let name = schema.object?["$ref"]?.string?.split(separator: "/").last.map(String.init),
            let example = bodies[name]
        else { return ["schema": schema] }
        return ["schema": schema, "example": example]
    }

    /// What `validate` returns for the form's sample submission.
    static func states(of form: FormSchema) -> JSONValue? {
        guard let evaluation = evaluation(of: form) else { return nil }
        var states = JSONWriter()
        evaluation.writeVerdict(into: &states)
        return try? .parse(states.bytes)
    }

    /// What `aliases` returns for it; nil if it would refuse it.
    static func created(by form: FormSchema, environment: VaultEnvironment) -> JSONValue? {
        guard let evaluation = evaluation(of: form), evaluation.refusal == nil else { return nil }
        let items = evaluation.aliasItems
        let aliases = items.map { item in
            AliasFormat(rawValue: item.format)?.example(for: item.value.exposed, environment: environment)
                ?? alias(environment)
        }
        var data = JSONWriter()
        guard evaluation.writeResult(aliases: aliases, into: &data), let result = try? JSONValue.parse(data.bytes)
        else { return nil }
        let list = zip(items, aliases).map { item, alias -> JSONValue in
            [
                "fieldName": .string(item.fieldName), "alias": .string(alias), "format": .string(item.format),
                "storage": .string(item.storage.rawValue),
            ]
        }
        return ["data": result, "aliases": .array(list)]
    }

    private static func evaluation(of form: FormSchema) -> Evaluation? {
        var json = JSONWriter()
        json.value(form.sampleSubmission)
        guard let text = try? JSONText(parsing: json.bytes), let submission = try? Submission(text, for: form),
            let day = CalendarDay(year: 2026, month: 1, day: 1)
        else { return nil }
        return form.evaluate(submission, today: day)
    }

    /// An alias that nothing else has the shape of.
    static func alias(_ environment: VaultEnvironment) -> String {
        "tok_\(environment.rawValue)_FyUq2QGMG7ByxxCbrqQoMN"
    }

    /// The body of a problem.
    static func problem(_ problem: Problem) -> JSONValue {
        var json = JSONWriter()
        problem.write(into: &json, instance: "/v1/forms/checkout/aliases", requestID: requestID)
        return (try? .parse(json.bytes)) ?? .null
    }

    /// What `GET /v1/forms/{form}` returns.
    static func description(of form: FormSchema) -> JSONValue? {
        var json = JSONWriter()
        form.writeDescription(into: &json)
        return try? .parse(json.bytes)
    }

    private static let stored: JSONValue = [
        "value": "4539600166594134", "classifiers": ["customer-17"],
        "aliases": [["alias": "4539608016964134", "format": "FPE_SIX_T_FOUR"]],
        "created_at": "2026-11-21T18:37:05Z", "storage": "PERSISTENT",
    ]
    private static let storedCode: JSONValue = [
        "value": "321", "classifiers": [],
        "aliases": [["alias": .string(alias(.sandbox)), "format": "UUID"]],
        "created_at": "2026-11-21T18:37:05Z", "storage": "VOLATILE",
    ]
    /// What `POST /aliases` returns for the example of its request.
    static let created: JSONValue = ["data": [stored, storedCode]]
    private static let requestID = "0193a6f2-5c11-7b60-8e0f-3f6a52d1c904"
    private static let erasure = "5HpXk9rQwTzv3BnMfYd8Jc"
    private static let token = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"

    private static let bodies: [String: JSONValue] = [
        "NewSession": ["form": "checkout", "ttl": "15m", "maxRequests": 20, "origin": "https://shop.example"],
        "Session": [
            "session": .string(token), "expiresAt": "2026-11-22T19:15:00Z", "form": "checkout",
            "operations": ["validate", "aliases", "tokens", "send"],
        ],
        "TokenRequest": ["grant_type": "client_credentials", "client_id": "dev", "client_secret": "dev-secret"],
        "AccessToken": [
            "access_token": .string(token), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(Int(SessionClaims.accessTokenLifetime))),
            "scope": .string(ScopeSet.all.text),
        ],
        "TokenError": [
            "error": "invalid_client", "error_description": "the client is not known, or its secret is wrong",
        ],
        "NewItems": [
            "data": [
                ["value": "4539600166594134", "format": "FPE_SIX_T_FOUR", "classifiers": ["customer-17"]],
                ["value": "321", "format": "UUID", "storage": "VOLATILE"],
            ]
        ],
        "StoredList": ["data": [stored]],
        "StoredByAlias": ["data": ["4539608016964134": stored]],
        "Classifiers": ["data": ["classifiers": ["customer-17"]]],
        "Deletion": ["classifier": "customer-17"],
        "ErasureBegun": ["erasure": .string(erasure), "count": 2],
        "Erasure": [
            "erasure": .string(erasure), "status": "done", "count": 2, "erased": 2, "aliases": 3, "damaged": 0,
            "created_at": "2026-11-21T18:37:05Z", "finished_at": "2026-11-21T18:37:06Z",
        ],
        "VaultErrors": [
            "requestId": .string(requestID), "type": "urn:cloakroom:problem:malformedRequest",
            "detail": "Too many values (limit: 20)",
            "errors": [
                [
                    "status": 400, "title": "Bad request", "detail": "Too many values (limit: 20)",
                    "href": "https://vault.example/aliases",
                ]
            ],
        ],
    ]
}
