import Configuration
import JSON

/// The log line of a request (docs/reference/proxy.md section 8). There is nothing in it of bodies, paths, queries or headers.
struct AccessLine {
    let method: String
    let kind: EndpointKind
    /// The form that was called, if there is one of that name.
    let form: String?
    let answer: Answer
    let requestID: String
    let microseconds: Int64
    let bytesIn: Int
    /// Of the body, as far as it was sent.
    let bytesOut: Int

    func text(_ format: LogSettings.Format) -> [UInt8] {
        let time = Instant.text(milliseconds: WallClock.milliseconds)
        switch format {
        case .json: return json(time)
        case .text:
            var line = "\(time) info \(method) \(kind.rawValue) \(answer.status) \(microseconds)us"
            line += " in=\(bytesIn) out=\(bytesOut) requestId=\(requestID)"
            if let code = answer.errorCode { line += " error=\(code)" }
            if let form { line += " form=\(form)" }
            if let upstream = answer.upstream { line += " to=\(upstream.route)" }
            if let status = answer.upstreamStatus { line += " upstream=\(status)" }
            if let time = answer.upstream?.microseconds { line += " upstreamTime=\(time)us" }
            return Array((line + "\n").utf8)
        }
    }

    private func json(_ time: String) -> [UInt8] {
        var json = JSONWriter(capacity: 320)
        json.beginObject()
        json.key("time")
        json.string(time)
        json.key("level")
        json.string("info")
        json.key("message")
        json.string("request")
        json.key("method")
        json.string(method)
        json.key("route")
        json.string(kind.rawValue)
        json.key("status")
        json.number(answer.status)
        json.key("microseconds")
        json.number(Int(microseconds))
        json.key("bytesIn")
        json.number(bytesIn)
        json.key("bytesOut")
        json.number(bytesOut)
        json.key("requestId")
        json.string(requestID)
        json.member("error", answer.errorCode)
        json.member("form", form)
        json.member("upstream", answer.upstream?.route)
        json.member("upstreamStatus", answer.upstreamStatus)
        json.member("upstreamMicroseconds", answer.upstream?.microseconds.map(Int.init))
        json.endObject()
        var line = json.bytes
        line.append(UInt8(ascii: "\n"))
        return line
    }
}

extension JSONWriter {
    /// A member that is left out if there is nothing to say.
    fileprivate mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    /// A member that is left out if there is nothing to say.
    fileprivate mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }
}
