extension WireWriter {
    /// Writes one chunk (RFC 9112 §7.1). An empty one is left out, for it would end the body.
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
