extension WireWriter {
    /// Writes a complete response.
    ///
    /// The status line always has HTTP/1.1, the version that this writer conforms to, whatever the client's (RFC 9110 section 6.2).
    /// The body is left out in responses to HEAD and with 1xx, 204 and 304, which have none (RFC 9110 section 6.4.1).
    /// - Parameters:
    ///   - date: the line of the Date header (RFC 9110 section 5.6.7).
    ///   - fixed: lines that come before `headers`.
    public mutating func response(
        status: Int,
        fixed: FieldBlock = .none,
        headers: [(String, String)],
        body: [UInt8],
        to context: ResponseContext,
        date: FieldBlock = .none
    ) throws(WireError) {
        let hasBody = try responseHead(
            status: status, fixed: fixed, headers: headers, bodyCount: body.count, to: context, date: date)
        if hasBody { append(body) }
    }

    /// Writes the head of a response whose body, `bodyCount` bytes, is sent after it. Returns whether there is a body to send. The
    /// parameters and errors are those of ``response(status:fixed:headers:body:to:date:)``.
    public mutating func responseHead(
        status: Int,
        fixed: FieldBlock,
        headers: [(String, String)],
        bodyCount: Int,
        to context: ResponseContext,
        date: FieldBlock
    ) throws(WireError) -> Bool {
        let hasBody = WireWriter.mayHaveBody(status)
        try atomically { writer throws(WireError) in
            try writer.head(status: status, fixed, headers, to: context, date)
            if hasBody { writer.contentLength(bodyCount) }
            writer.append("\r\n")
        }
        return hasBody && !context.isHead
    }

    /// Writes the head of a response whose body follows piece by piece. Sets `keepAlive` of `context` to false if the connection
    /// must be closed after the response, as the head then states. Returns how the body is to be sent:
    /// - ``BodyFraming/length(_:)``: unchanged, `length` bytes in total;
    /// - ``BodyFraming/chunked``: each piece by ``chunk(_:)``, the end by ``lastChunk()``, if the length is not known;
    /// - ``BodyFraming/untilClose``: unchanged, then the connection is closed; for HTTP/1.0, which has no chunks
    ///   (RFC 9112 section 7);
    /// - ``BodyFraming/none``: no body is sent.
    public mutating func streamedResponse(
        status: Int,
        fixed: FieldBlock = .none,
        headers: [(String, String)],
        length: Int? = nil,
        to context: inout ResponseContext,
        date: FieldBlock = .none
    ) throws(WireError) -> BodyFraming {
        let framing = WireWriter.framing(status, length, context)
        if framing == .untilClose { context.keepAlive = false }
        let final = context
        try atomically { writer throws(WireError) in
            try writer.head(status: status, fixed, headers, to: final, date)
            switch framing {
            case .length(let length): writer.contentLength(length)
            case .chunked: writer.append("Transfer-Encoding: chunked\r\n")
            case .untilClose, .none: break
            }
            writer.append("\r\n")
        }
        return context.isHead ? .none : framing
    }

    private static func framing(_ status: Int, _ length: Int?, _ context: ResponseContext) -> BodyFraming {
        guard mayHaveBody(status) else { return .none }
        if let length { return .length(length) }
        return context.version == .http11 ? .chunked : .untilClose
    }

    /// Writes `100 Continue` (RFC 9110 section 15.2.1).
    public mutating func continueResponse() {
        append("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private mutating func head(
        status: Int, _ fixed: FieldBlock, _ headers: [(String, String)], to context: ResponseContext, _ date: FieldBlock
    ) throws(WireError) {
        reserveCapacity(512)
        if status == 200 {
            append("HTTP/1.1 200 OK\r\n")
        } else {
            append("HTTP/1.1 ")
            append(min(max(status, 100), 599))
            append(" ")
            append(StatusReason.phrase(status))
            append("\r\n")
        }
        append(fixed)
        try fields(headers, of: .response)
        append(date)
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

extension WireWriter {
    /// Writes one chunk (RFC 9112 section 7.1). An empty one is left out, since it would end the body.
    public mutating func chunk(_ data: [UInt8]) {
        guard !data.isEmpty else { return }
        append(hexadecimal: data.count)
        append("\r\n")
        append(data)
        append("\r\n")
    }

    /// Ends a body written in chunks; no trailers.
    public mutating func lastChunk() {
        append("0\r\n\r\n")
    }
}
