extension WireWriter {
    /// Writes a whole request.
    ///
    /// `Content-Length` is left out if there is no body and the method does not expect one (RFC 9110 §8.6).
    /// - Parameters:
    ///   - target: path and query, percent-encoded.
    ///   - host: the value of the Host header.
    ///   - keepAlive: false to ask the server to close the connection afterwards.
    ///
    /// Throws ``WireError/unwritableRequestLine`` if `method` is no token or `target` holds anything but visible ASCII,
    /// ``WireError/unwritableField`` for a header; nothing is written then.
    public mutating func request(
        _ method: Method,
        target: String,
        host: String,
        headers: [(String, String)],
        body: [UInt8],
        keepAlive: Bool = true
    ) throws(WireError) {
        bytes.reserveCapacity(bytes.count + 256 + body.count)
        try whole { writer throws(WireError) in
            try writer.requestHead(method, target, host: host, headers, keepAlive)
            if !body.isEmpty || method.anticipatesContent { writer.contentLength(body.count) }
            writer.append("\r\n")
            writer.append(body)
        }
    }

    /// Writes the head of a request whose body follows in chunks, each by ``chunk(_:)``, ended by ``lastChunk()``.
    /// The parameters and errors are those of ``request(_:target:host:headers:body:keepAlive:)``.
    public mutating func chunkedRequest(
        _ method: Method,
        target: String,
        host: String,
        headers: [(String, String)],
        keepAlive: Bool = true
    ) throws(WireError) {
        try whole { writer throws(WireError) in
            try writer.requestHead(method, target, host: host, headers, keepAlive)
            writer.append("Transfer-Encoding: chunked\r\n\r\n")
        }
    }

    private mutating func requestHead(
        _ method: Method, _ target: String, host: String, _ headers: [(String, String)], _ keepAlive: Bool
    ) throws(WireError) {
        let start = bytes.count
        append(text: method.name)
        guard bytes.span.isToken(start..<bytes.count) else { throw .unwritableRequestLine }
        append(" ")
        let startOfTarget = bytes.count
        append(text: target)
        guard bytes.count > startOfTarget else { throw .unwritableRequestLine }
        for index in startOfTarget..<bytes.count where !(0x21...0x7E ~= bytes[index]) { throw .unwritableRequestLine }
        append(" HTTP/1.1\r\n")
        try field("Host", host)
        try fields(headers, of: .request)
        if !keepAlive { append("Connection: close\r\n") }
    }
}
