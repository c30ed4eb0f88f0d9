extension WireWriter {
    /// Writes a complete request.
    ///
    /// `Content-Length` is left out if there is no body and the method does not expect one (RFC 9110 section 8.6).
    /// - Parameters:
    ///   - target: path and query, percent-encoded.
    ///   - host: the value of the Host header.
    ///   - fixed: lines that come before `headers`.
    ///   - keepAlive: false to ask the server to close the connection afterwards.
    ///
    /// Throws ``WireError/unwritableRequestLine`` if `method` is not a token or `target` contains anything but visible ASCII,
    /// ``WireError/unwritableField`` for a header. Nothing is written then.
    public mutating func request(
        _ method: Method,
        target: String,
        host: String,
        fixed: FieldBlock = .none,
        headers: [(String, String)],
        body: [UInt8],
        keepAlive: Bool = true
    ) throws(WireError) {
        reserveCapacity(512 + body.count)
        try atomically { writer throws(WireError) in
            try writer.requestHead(method, target, host: host, fixed, headers, keepAlive)
            if !body.isEmpty || method.anticipatesContent { writer.contentLength(body.count) }
            writer.append("\r\n")
            writer.append(body)
        }
    }

    private mutating func requestHead(
        _ method: Method, _ target: String, host: String, _ fixed: FieldBlock, _ headers: [(String, String)],
        _ keepAlive: Bool
    ) throws(WireError) {
        guard append(text: method.name, ifAll: { $0.isToken(0..<$0.count) }) else { throw .unwritableRequestLine }
        append(" ")
        guard append(text: target, ifAll: { $0.isVisible }) else { throw .unwritableRequestLine }
        append(" HTTP/1.1\r\n")
        try field("Host", host)
        append(fixed)
        try fields(headers, of: .request)
        if !keepAlive { append("Connection: close\r\n") }
    }
}

extension Span where Element == UInt8 {
    /// Whether the span is not empty and all of it is visible ASCII.
    fileprivate var isVisible: Bool {
        for index in indices where !(0x21...0x7E ~= self[index]) { return false }
        return !isEmpty
    }
}
