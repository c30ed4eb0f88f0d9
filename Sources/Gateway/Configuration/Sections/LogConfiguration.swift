import FormSchema
public import Logging

/// The `log` part.
public struct LogConfiguration: Sendable {
    public enum Format: String, Sendable, CaseIterable { case json, text }

    public var level = Logger.Level.info
    public var format = Format.json
}

extension ConfigurationScope {
    func log(_ reader: DocumentReader) -> LogConfiguration {
        var log = LogConfiguration()
        guard let map = reader.map(keys: ["level", "format"]) else { return log }
        if let level = map["level"]?.choice(Logger.Level.self) { log.level = level }
        if let format = map["format"]?.choice(LogConfiguration.Format.self) { log.format = format }
        return log
    }

    /// The admin listener's address; nil if there is a mistake.
    func admin(_ reader: DocumentReader) -> ListenAddress? {
        reader.map(keys: ["listen"])?.required("listen")?.listenAddress()
    }
}
