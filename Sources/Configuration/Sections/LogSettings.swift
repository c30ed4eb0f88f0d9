import FormSchema

/// The `log` section: what is written to stderr.
public struct LogSettings: Sendable {
    /// One JSON object a line, or text.
    public enum Format: String, Sendable, CaseIterable { case json, text }

    /// Messages below this level are not written.
    public enum Level: String, Sendable, CaseIterable { case trace, debug, info, notice, warning, error, critical }

    /// The lowest level that is written.
    public var level = Level.info
    /// How lines look.
    public var format = Format.json
}

extension ConfigurationScope {
    func log(_ reader: DocumentReader) -> LogSettings {
        var log = LogSettings()
        guard let map = reader.map(keys: ["level", "format"]) else { return log }
        if let level = map["level"]?.choice(LogSettings.Level.self) { log.level = level }
        if let format = map["format"]?.choice(LogSettings.Format.self) { log.format = format }
        return log
    }
}
