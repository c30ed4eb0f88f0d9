import FormSchema

/// The key `docs`: whether the gateway describes itself to callers.
public struct DocsSettings: Sendable, Equatable {
    /// Whether `GET /openapi.json` and `GET /docs` are served; nil: only while everything listens on loopback.
    public var isEnabled: Bool?
}

extension ConfigurationScope {
    func docs(_ reader: DocumentReader) -> DocsSettings {
        var settings = DocsSettings()
        settings.isEnabled = reader.map(keys: ["enabled"])?["enabled"]?.bool()
        return settings
    }
}
