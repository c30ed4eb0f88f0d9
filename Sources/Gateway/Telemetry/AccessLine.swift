import JSON

/// The log line of a request (reference, proxy section 8). There is nothing in it of bodies, paths, queries or headers.
struct AccessLine {
    let method: String
    let kind: EndpointKind
    let answer: Answer
    let requestID: String
    let microseconds: Int64
    let bytesIn: Int
    /// Of the body, as far as it was sent.
    let bytesOut: Int

    func text(_ format: LogConfiguration.Format) -> [UInt8] {
        let time = InstantText.milliseconds(WallClock.milliseconds)
        switch format {
        case .json: return json(time)
        case .text:
            var line = "\(time) info \(method) \(kind.rawValue) \(answer.status) \(microseconds)us"
            line += " in=\(bytesIn) out=\(bytesOut) requestId=\(requestID)"
            if let code = answer.errorCode { line += " error=\(code)" }
            if let form = answer.form { line += " form=\(form)" }
            if let route = answer.route { line += " to=\(route)" }
            if let status = answer.upstreamStatus { line += " upstream=\(status)" }
            if let time = answer.upstreamMicroseconds { line += " upstreamTime=\(time)us" }
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
        if let code = answer.errorCode {
            json.key("error")
            json.number(code)
        }
        if let form = answer.form {
            json.key("form")
            json.string(form)
        }
        if let route = answer.route {
            json.key("upstream")
            json.string(route)
        }
        if let status = answer.upstreamStatus {
            json.key("upstreamStatus")
            json.number(status)
        }
        if let time = answer.upstreamMicroseconds {
            json.key("upstreamMicroseconds")
            json.number(Int(time))
        }
        json.endObject()
        var line = json.bytes
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
