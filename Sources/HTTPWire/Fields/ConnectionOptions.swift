/// Whether a message's Connection headers keep the connection open (RFC 9112 section 9.3).
struct ConnectionOptions: Sendable {
    private var close = false
    private var keepAlive = false

    /// Adds one Connection header, a list of tokens (RFC 9110 section 7.6.1).
    mutating func note(_ bytes: Span<UInt8>, value: Range<Int>) throws(WireError) {
        var elements = ListElements(value)
        while let element = elements.next(in: bytes) {
            if element.isEmpty { continue }
            guard bytes.isToken(element) else { throw .malformedConnection }
            if bytes.equals("close", ignoringCaseIn: element) { close = true }
            if bytes.equals("keep-alive", ignoringCaseIn: element) { keepAlive = true }
        }
    }

    /// Whether the sender keeps the connection open after this message.
    func persists(in version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !close
        case .http10: keepAlive && !close
        }
    }
}
