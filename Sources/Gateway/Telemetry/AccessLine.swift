import Access
import Configuration
import JSON

/// The log line of a request (`docs/reference/proxy.md` section 9). It has nothing of bodies, paths and queries, and of
/// headers the beginning of `User-Agent` alone.
struct AccessLine {
    let method: String
    let pattern: Endpoint.Pattern
    /// Id of the form, if it is hosted.
    let form: String?
    let response: CallResponse
    let requestID: String
    let microseconds: Int64
    let bytesIn: Int
    /// Bytes of the body that were sent.
    let bytesOut: Int
    let client: IPAddress
    /// Nil if nothing asked who calls.
    let caller: Caller?
    /// As the client sent it, of any length.
    let userAgent: String?

    /// Characters of `User-Agent` that are shown.
    private static let shownCharacters = 120
    /// Characters that are searched for card numbers: one that begins among those that are shown ends among these, escaped as it may be.
    private static let searchedCharacters = 1_024

    /// The beginning of `User-Agent`. It is cut last: half a card number would not be known as one.
    private var agent: String? {
        guard let userAgent, !userAgent.isEmpty else { return nil }
        let plain = String.inOneLine(userAgent.unicodeScalars.prefix(Self.searchedCharacters))
        return String(PANMask.masked(plain).unicodeScalars.prefix(Self.shownCharacters))
    }

    func text(_ format: LogSettings.Format) -> [UInt8] {
        let time = Instant.text(milliseconds: SystemClock.milliseconds)
        switch format {
        case .json: return json(time)
        case .text:
            var line = "\(time) info \(method) \(pattern.text) \(response.status)"
            line += " microseconds=\(microseconds) bytesIn=\(bytesIn) bytesOut=\(bytesOut) requestId=\(requestID)"
            if let code = response.errorCode { line += " error=\(code)" }
            if let form { line += " form=\(form)" }
            line += " client=\(client)"
            if let name = caller?.name { line += " credential=\(name.asMember)" }
            if let session = caller?.sessionID { line += " session=\(session.asMember)" }
            if let issuer = caller?.issuer { line += " issuer=\(issuer.asMember)" }
            if let exchange = response.exchange { line += " upstream=\(exchange.route)" }
            if let status = response.upstreamStatus { line += " upstreamStatus=\(status)" }
            if let time = response.exchange?.microseconds { line += " upstreamMicroseconds=\(time)" }
            // Last, because a client writes into it what it likes.
            if let agent { line += " userAgent=\"\(agent.replacing("\"", with: "'"))\"" }
            return line.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
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
        json.string(pattern.text)
        json.key("status")
        json.number(response.status)
        json.key("microseconds")
        json.number(Int(microseconds))
        json.key("bytesIn")
        json.number(bytesIn)
        json.key("bytesOut")
        json.number(bytesOut)
        json.key("requestId")
        json.string(requestID)
        json.key("client")
        json.string(client.description)
        json.member("credential", caller?.name?.inOneLine)
        json.member("session", caller?.sessionID?.inOneLine)
        json.member("issuer", caller?.issuer)
        json.member("userAgent", agent)
        json.member("error", response.errorCode)
        json.member("form", form)
        json.member("upstream", response.exchange?.route)
        json.member("upstreamStatus", response.upstreamStatus)
        json.member("upstreamMicroseconds", response.exchange?.microseconds.map(Int.init))
        json.endObject()
        var line = json.bytes
        line.append(UInt8(ascii: "\n"))
        return line
    }
}

extension JSONWriter {
    /// Writes the member, unless the value is nil.
    fileprivate mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        number(value)
    }

    /// Writes the member, unless the value is nil.
    fileprivate mutating func member(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }
}
