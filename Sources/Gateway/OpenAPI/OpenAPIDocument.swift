public import Configuration
import FormSchema
import JSON
import Vault

/// The HTTP API of a gateway with this configuration, as an OpenAPI 3.1 document. Each form has paths and schemas of its own, so that
/// generated clients know its fields.
public struct OpenAPIDocument {
    private let configuration: Configuration

    /// The API that this configuration makes.
    public init(_ configuration: Configuration) { self.configuration = configuration }

    private var forms: [FormSchema] { configuration.forms }

    /// The document as compact JSON.
    public var bytes: [UInt8] {
        var json = JSONWriter(capacity: 65_536)
        json.value(document)
        return json.bytes
    }

    private var document: JSONValue {
        [
            "openapi": "3.1.1",
            "info": [
                "title": "Cloakroom", "version": .string(Build.version),
                "summary": "A self-hosted gateway for forms that hold card numbers and other secrets.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/", "description": "The client listener."]],
            "tags": [
                ["name": "forms", "description": "What web and mobile clients call."],
                [
                    "name": "vault",
                    "description": "What servers with a credential call; wire-compatible with the VGS Vault API.",
                ],
                ["name": "sessions", "description": "What a browser or an app holds instead of a credential."],
                ["name": "reveal", "description": "The way back out: values in place of aliases."],
                ["name": "operations", "description": "Health and metrics, on the admin listener."],
            ],
            "paths": .object(paths),
            "components": [
                "schemas": .object(
                    Self.schemas(maxItems: configuration.vault.maxItems) + forms.flatMap(requestSchemas)
                        + forms.map(stateSchema)),
                "parameters": Self.parameters,
                "headers": Self.headers,
                "responses": .object(
                    Self.problemResponses
                        + (configuration.routes.contains(where: \.isRemote) ? Self.passedResponses : [])
                        + Self.vaultErrorResponses),
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "A credential's secret, a session or a token.",
                    ],
                    "basic": [
                        "type": "http", "scheme": "basic", "description": "A credential's user name and secret.",
                    ],
                ],
            ],
        ]
    }

    private var paths: [(String, JSONValue)] {
        [("/v1/forms", Self.formList(forms)), ("/openapi.json", Self.description)] + Self.sessionPaths
            + forms.flatMap { FormPaths($0, configuration, environment: environment).paths }
            + configuration.routes.compactMap { RevealPath($0, environment: environment)?.path }
            // A remote vault keeps the aliases, and is asked for them itself.
            + (configuration.vault.remote == nil ? Self.vaultPaths : []) + operationsPaths
    }

    private var environment: VaultEnvironment {
        VaultEnvironment(rawValue: configuration.vault.environment.rawValue) ?? .sandbox
    }

    /// A draft may lack required fields: `validate` says so in their states.
    private func requestSchemas(_ form: FormSchema) -> [(String, JSONValue)] {
        [
            (FormPaths.component(form, "Submission"), form.requestSchema(requiresFields: true)),
            (FormPaths.component(form, "Draft"), form.requestSchema(requiresFields: false)),
        ]
    }

    private func stateSchema(_ form: FormSchema) -> (String, JSONValue) {
        let states = form.fieldNames.map { ($0, JSONValue.reference("schemas", "FieldState")) }
        let names = JSONValue.array(form.fieldNames.map(JSONValue.string))
        return (
            FormPaths.component(form, "State"),
            [
                "type": "object", "required": ["form", "isValid", "isComplete", "nextField", "fields"],
                "properties": [
                    "form": ["type": "string", "const": .string(form.form)],
                    "isValid": ["type": "boolean"], "isComplete": ["type": "boolean"],
                    "nextField": [
                        "type": ["string", "null"], "description": "The first field that is not satisfied.",
                    ],
                    "fields": ["type": "object", "properties": .object(states), "required": names],
                ],
            ]
        )
    }

    /// Health and metrics have a server of their own.
    private var operationsPaths: [(String, JSONValue)] {
        let servers: JSONValue = [
            ["url": .string("http://\(configuration.admin)"), "description": "The admin listener."]
        ]
        func path(_ summary: String, _ id: String, _ media: String, _ responses: [(String, String, JSONValue)])
            -> JSONValue
        {
            let responses = responses.map { status, meaning, body in
                (status, ["description": .string(meaning), "content": .object([(media, body)])] as JSONValue)
            }
            return [
                "servers": servers,
                "get": [
                    "tags": ["operations"], "operationId": .string(id), "summary": .string(summary),
                    "responses": .object(responses),
                ],
            ]
        }
        let status: JSONValue = ["type": "object", "properties": ["status": ["type": "string"]]]
        return [
            (
                "/health/live",
                path(
                    "Whether the process responds.", "getHealthLive", "application/json",
                    [("200", "It does.", ["schema": status, "example": ["status": "live"]])])
            ),
            (
                "/health/ready",
                path(
                    "Whether the process can serve.", "getHealthReady", "application/json",
                    [
                        ("200", "It can.", ["schema": status, "example": ["status": "ready"]]),
                        (
                            "503",
                            "It is stopping, or the vault or the audit log cannot be used: `status` says why. A remote vault "
                                + "(`vault.store: remote`) is not asked: its health is its own.",
                            ["schema": status, "example": ["status": "stopping"]]
                        ),
                    ])
            ),
            (
                "/metrics",
                path(
                    "Metrics for Prometheus.", "getMetrics", "text/plain",
                    [("200", "The metrics.", ["schema": ["type": "string"]])])
            ),
        ]
    }
}
