/// `HTTP-version SP status-code SP [reason-phrase]` (RFC 9112 section 4). The space before an empty reason may be missing, as
/// many servers leave it out. The reason is ignored (RFC 9112 section 4).
struct StatusLine: Sendable {
    let version: HTTPVersion
    let status: Int

    init(_ bytes: Span<UInt8>, line: Range<Int>) throws(WireError) {
        let at = line.lowerBound
        guard line.count >= 12, bytes[at + 8] == .space, line.count == 12 || bytes[at + 12] == .space else {
            throw .malformedStatusLine
        }
        version = try HTTPVersion.parse(bytes, at..<at + 8)
        var status = 0
        for index in at + 9..<at + 12 {
            guard bytes[index].isDigit else { throw .malformedStatusLine }
            status = status * 10 + Int(bytes[index] &- 0x30)
        }
        guard 100...599 ~= status else { throw .malformedStatusLine }
        self.status = status
    }

    /// Whether `buffer` starts as every HTTP/1 response does; `nil` while that is undecided. Other bytes come from a peer that
    /// uses another protocol.
    static func startsAsHTTP(_ buffer: Span<UInt8>) -> Bool? {
        if buffer.count >= 5 { return buffer.holds("HTTP/", at: 0) }
        let opening: [UInt8] = [0x48, 0x54, 0x54, 0x50, 0x2F]
        for index in buffer.indices where buffer[index] != opening[index] { return false }
        return nil
    }
}
