extension WireWriter {
    /// Writes a whole response.
    ///
    /// The status line always says HTTP/1.1, the version that we conform to, whatever the client's (RFC 9110 §6.2). The
    /// body is left out in answers to HEAD and with 1xx, 204 and 304, which have none (RFC 9110 §6.4.1).
    /// - Parameters:
    ///   - date: the line of the Date header (RFC 9110 §5.6.7).
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

    /// Writes the head of a response whose body, `bodyCount` bytes, is sent as it is behind it. Answers whether there is a body
    /// to send at all. The parameters and errors are those of ``response(status:fixed:headers:body:to:date:)``.
    public mutating func responseHead(
        status: Int,
        fixed: FieldBlock = .none,
        headers: [(String, String)],
        bodyCount: Int,
        to context: ResponseContext,
        date: FieldBlock = .none
    ) throws(WireError) -> Bool {
        let hasBody = WireWriter.mayHaveBody(status)
        try whole { writer throws(WireError) in
            try writer.head(status: status, fixed, headers, to: context, date)
            if hasBody { writer.contentLength(bodyCount) }
            writer.append("\r\n")
        }
        return hasBody && !context.isHead
    }

    /// Writes the head of a response whose body follows piece by piece, and answers how:
    /// - ``BodyFraming/length(_:)``: as it is, `length` bytes in all;
    /// - ``BodyFraming/chunked``: each piece by ``chunk(_:)``, the end by ``lastChunk()``, where the length is not known;
    /// - ``BodyFraming/untilClose``: as it is, then the connection is closed; for HTTP/1.0, which knows no chunks
    ///   (RFC 9112 §7);
    /// - ``BodyFraming/none``: not at all.
    public mutating func streamedResponse(
        status: Int,
        fixed: FieldBlock = .none,
        headers: [(String, String)],
        length: Int? = nil,
        to context: ResponseContext,
        date: FieldBlock = .none
    ) throws(WireError) -> BodyFraming {
        var context = context
        let framing = WireWriter.framing(status, length, context)
        if framing == .untilClose { context.keepAlive = false }
        try whole { writer throws(WireError) in
            try writer.head(status: status, fixed, headers, to: context, date)
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

    /// Writes `100 Continue` (RFC 9110 §15.2.1).
    public mutating func continueResponse() {
        append("HTTP/1.1 100 Continue\r\n\r\n")
    }

    private mutating func head(
        status: Int, _ fixed: FieldBlock, _ headers: [(String, String)], to context: ResponseContext, _ date: FieldBlock
    ) throws(WireError) {
        reserve(512)
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
