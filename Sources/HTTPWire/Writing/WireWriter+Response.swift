extension WireWriter {
    /// Writes a whole response.
    ///
    /// The status line always says HTTP/1.1, the version that we conform to, whatever the client's (RFC 9110 §6.2). The
    /// body is left out in answers to HEAD and with 1xx, 204 and 304, which have none (RFC 9110 §6.4.1).
    /// - Parameters:
    ///   - date: the value of the Date header, an IMF-fixdate (RFC 9110 §5.6.7); empty for none.
    public mutating func response(
        status: Int,
        headers: [(String, String)],
        body: [UInt8],
        to context: ResponseContext,
        date: String
    ) throws(WireError) {
        let hasBody = WireWriter.mayHaveBody(status)
        bytes.reserveCapacity(bytes.count + 256 + (context.isHead ? 0 : body.count))
        try whole { writer throws(WireError) in
            try writer.head(status: status, headers: headers, to: context, date: date)
            if hasBody { writer.contentLength(body.count) }
            writer.append("\r\n")
            if hasBody, !context.isHead { writer.append(body) }
        }
    }

    /// Writes the head of a response whose body follows piece by piece, and answers how:
    /// - ``BodyFraming/chunked``: each piece by ``chunk(_:)``, the end by ``lastChunk()``;
    /// - ``BodyFraming/untilClose``: as it is, then the connection is closed; for HTTP/1.0, which knows no chunks
    ///   (RFC 9112 §7);
    /// - ``BodyFraming/none``: not at all.
    public mutating func streamedResponse(
        status: Int,
        headers: [(String, String)],
        to context: ResponseContext,
        date: String
    ) throws(WireError) -> BodyFraming {
        var context = context
        let hasBody = WireWriter.mayHaveBody(status)
        let isChunked = hasBody && context.version == .http11
        if hasBody, !isChunked { context.keepAlive = false }
        try whole { writer throws(WireError) in
            try writer.head(status: status, headers: headers, to: context, date: date)
            writer.append(isChunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n")
        }
        guard hasBody, !context.isHead else { return .none }
        return isChunked ? .chunked : .untilClose
    }

    /// Writes `100 Continue` (RFC 9110 §15.2.1).
    public mutating func continueResponse() {
        append("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private mutating func head(
        status: Int, headers: [(String, String)], to context: ResponseContext, date: String
    ) throws(WireError) {
        append("HTTP/1.1 ")
        append(min(max(status, 100), 599))
        append(" ")
        append(StatusReason.phrase(status))
        append("\r\n")
        try fields(headers, of: .response)
        if !date.isEmpty { try field("Date", date) }
        if !context.keepAlive {
            append("Connection: close\r\n")
        } else if context.version == .http10 {
            append("Connection: keep-alive\r\n")
        }
    }

    mutating func contentLength(_ length: Int) {
        append("Content-Length: ")
        append(length)
        append("\r\n")
    }

    private static func mayHaveBody(_ status: Int) -> Bool {
        status >= 200 && status != 204 && status != 304
    }
}
