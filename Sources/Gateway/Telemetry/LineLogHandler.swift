import Configuration
import JSON
import Logging

/// Formats log messages as lines, in JSON or as text, and appends them to the sink.
struct LineLogHandler: LogHandler {
    let sink: LogSink
    let format: LogSettings.Format
    let level: LogLevel
    var metadata: Logger.Metadata = [:]

    var logLevel: Logger.Level {
        get { level.value }
        set { level.value = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
        let time = Instant.text(milliseconds: SystemClock.milliseconds)
        switch format {
        case .json:
            var json = JSONWriter(capacity: 256)
            json.beginObject()
            json.key("time")
            json.string(time)
            json.key("level")
            json.string(event.level.rawValue)
            json.key("message")
            json.string(PANMask.masked(event.message.description.inOneLine))
            for (key, value) in all {
                json.key(key)
                json.string(PANMask.masked(value.description.inOneLine))
            }
            json.endObject()
            sink.append(json.bytes + [UInt8(ascii: "\n")])
        case .text:
            var line = "\(time) \(event.level.rawValue) \(PANMask.masked(event.message.description.inOneLine))"
            for (key, value) in all { line += " \(key)=\(PANMask.masked(value.description.inOneLine).asMember)" }
            sink.append(Array((line + "\n").utf8))
        }
    }
}
