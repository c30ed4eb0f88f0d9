import Configuration
import JSON

/// Health and metrics, which have a listener of their own (`docs/reference/access.md` section 6).
extension OpenAPIDocument {
    /// - Parameter admin: `admin.listen`.
    static func operationsPaths(on admin: ListenAddress) -> [(String, JSONValue)] {
        let servers: JSONValue = [["url": "http://\(admin)", "description": "The admin listener."]]
        let live = health("It does.", ["status": "live"])
        let ready = health("It can.", ["status": "ready"])
        let notReady = health(
            "It is stopping, or the vault or the audit log cannot be used: `status` says why. A remote vault "
                + "(`vault.store: remote`) is not asked, so that its failure does not make the gateway unready.",
            ["status": "stopping"])
        let metrics = response("The metrics.", "text/plain", ["schema": ["type": "string"]])
        return [
            ("/health/live", "getHealthLive", "Whether the process responds.", [("200", live)]),
            ("/health/ready", "getHealthReady", "Whether the process can serve.", [("200", ready), ("503", notReady)]),
            ("/metrics", "getMetrics", "Metrics for Prometheus.", [("200", metrics)]),
        ].map { path, id, summary, responses in
            let get: JSONValue = [
                "tags": ["operations"], "operationId": .string(id), "summary": .string(summary),
                "parameters": [.reference("parameters", "XRequestId")],
                "responses": .object(responses + refusals),
            ]
            return (path, ["servers": servers, "get": get])
        }
    }

    /// What the listener refuses.
    private static let refusals: [(String, JSONValue)] = [
        ("400", response("The request is malformed.", problemType, problem)),
        ("405", response("The path does not have this method.", problemType, problem, allow)),
    ]
    private static let problemType = "application/problem+json"
    private static let problem: JSONValue = ["schema": .reference("schemas", "Problem")]
    private static let allow = ("Allow", JSONValue.reference("headers", "Allow"))

    private static func health(_ meaning: String, _ example: JSONValue) -> JSONValue {
        response(meaning, "application/json", ["schema": .reference("schemas", "Health"), "example": example])
    }

    private static func response(
        _ meaning: String, _ media: String, _ body: JSONValue, _ headers: (String, JSONValue)...
    ) -> JSONValue {
        let all = [("X-Request-Id", JSONValue.reference("headers", "XRequestId"))] + headers
        return ["description": .string(meaning), "headers": .object(all), "content": .object([(media, body)])]
    }

    /// What the health calls return.
    static let health: JSONValue = [
        "type": "object", "required": ["status"],
        "properties": [
            "status": ["type": "string"],
            "damaged": [
                "type": "integer", "minimum": 1,
                "description": "Reads that found a damaged record since the start, if there were any.",
            ],
            "reload": [
                "type": "object", "required": ["outcome", "taken", "needsRestart", "mistakes"],
                "description": "What came of the last reload, if there was one.",
                "properties": [
                    "outcome": [
                        "type": "string", "enum": .array(ReloadReport.Outcome.allCases.map { .string($0.rawValue) }),
                    ],
                    "taken": keyPaths, "needsRestart": keyPaths,
                    "mistakes": ["type": "integer", "minimum": 0, "description": "How many there are."],
                ],
            ],
        ],
    ]

    private static let keyPaths: JSONValue = ["type": "array", "items": ["type": "string"]]
}
