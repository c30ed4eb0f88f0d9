/// What can be read of a head that could not be parsed, as far as it has come. Apart from a valid request line it is unchecked
/// and cut to a length: to be used only to find the rules of an error response and the path that was meant.
public struct PartialHead: Sendable {
    /// The text in the target's place: visible characters, at most 1,024 unless the request line is valid.
    public let target: String
    /// Whether the method is HEAD, so that the response has no content (RFC 9110 section 9.3.2).
    public let isHead: Bool
    /// Whether the request line is valid, so that only what follows it could not be read.
    public let hasRequestLine: Bool
    /// The value of the first line that looks like `Host`, if it has come: visible characters, at most 260.
    public let host: String?
    /// The same of `Origin`.
    public let origin: String?

    /// Nil if the beginning does not look like a request line.
    init?(_ bytes: Span<UInt8>, hasRequestLine: Bool = false) {
        var start = 0
        while start < bytes.count, bytes[start] == 0x0D || bytes[start] == 0x0A { start += 1 }
        let method = PartialHead.visible(bytes, from: start)
        let blank = start + method.count
        guard blank > start, blank < bytes.count, bytes[blank] == 0x20 else { return nil }
        isHead = method == Array("HEAD".utf8)
        let limit = hasRequestLine ? Int.max : 1_024
        target = String(decoding: PartialHead.visible(bytes, from: blank + 1).prefix(limit), as: UTF8.self)
        self.hasRequestLine = hasRequestLine
        guard !target.isEmpty else { return nil }
        host = PartialHead.value(of: "host:", in: bytes, from: blank)
        origin = PartialHead.value(of: "origin:", in: bytes, from: blank)
    }

    /// - Parameter name: in lower case, with its colon.
    private static func value(of name: StaticString, in bytes: Span<UInt8>, from start: Int) -> String? {
        let name = Array(name.description.utf8)
        var index = start
        while index < bytes.count {
            let isAtName = bytes[index] == 0x0A && index + name.count + 1 < bytes.count
            index += 1
            guard isAtName, (index..<index + name.count).map({ bytes[$0] | 0x20 }) == name else { continue }
            index += name.count
            while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
            let value = visible(bytes, from: index)
            return value.isEmpty || value.count > 260 ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    /// The visible ASCII characters from `start` to the first other byte.
    private static func visible(_ bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        var text: [UInt8] = []
        var index = start
        while index < bytes.count, bytes[index] > 0x20, bytes[index] < 0x7F {
            text.append(bytes[index])
            index += 1
        }
        return text
    }
}
