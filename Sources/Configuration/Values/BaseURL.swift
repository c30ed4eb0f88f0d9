import Access

/// Where a route's requests go: scheme, host, port and base path (docs/reference/proxy.md section 1).
public struct BaseURL: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is no base URL.
    public enum Fault: String, Error {
        case scheme = "must begin with https:// or http://"
        case userInfo = "must hold no user info"
        case query = "must hold no query"
        case fragment = "must hold no fragment"
        case host = "has no valid host"
        case port = "has no valid port"
        case path = "has a path with a dot segment, a backslash or a character that must be percent-encoded"
    }

    /// Whether the scheme is https.
    public let isSecure: Bool
    /// Lower case; a number of IPv6 without its brackets.
    public let host: String
    /// As written, or the scheme's own.
    public let port: UInt16
    /// As written; begins with a slash, `/` at least.
    public let path: String

    /// A URL of parts that are known to be valid.
    public init(isSecure: Bool, host: String, port: UInt16, path: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.path = path
    }

    /// Reads a URL of a configuration.
    public init(_ text: String) throws(Fault) {
        let lower = text.lowercased()
        isSecure = lower.hasPrefix("https://")
        guard isSecure || lower.hasPrefix("http://") else { throw .scheme }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" || $0 == "\\" } ?? rest.endIndex
        if rest.contains("#") { throw .fragment }
        if rest.contains("?") { throw .query }
        if rest[..<end].contains("@") { throw .userInfo }
        (host, port) = try Self.authority(rest[..<end], isSecure: isSecure)
        path = try Self.path(rest[end...])
    }

    private static func authority(_ text: Substring, isSecure: Bool) throws(Fault) -> (String, UInt16) {
        var host = text
        var port: UInt16 = isSecure ? 443 : 80
        let bracket = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            let digits = text[text.index(after: colon)...]
            guard let number = UInt16(digits: digits), number > 0 else { throw .port }
            host = text[..<colon]
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":"), isHost(host) else { throw .host }
        } else {
            guard !host.contains(":"), isHost(host) else { throw .host }
        }
        return (host.lowercased(), port)
    }

    /// Whether it is an address, one of IPv6 without brackets, or a name that a host may have: labels of letters, digits, `-` and
    /// `_` (RFC 1123 section 2.1, with the underscore that internal names use); the last label is no number.
    static func isHost(_ host: some StringProtocol) -> Bool {
        if IPAddress(host) != nil { return true }
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        let isNumber = labels.last?.allSatisfy { $0.isASCII && $0.isNumber } ?? true
        return host.utf8.count <= 253 && !isNumber
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            }
    }

    private static func path(_ text: Substring) throws(Fault) -> String {
        if text.isEmpty { return "/" }
        let segments = text.utf8.split(separator: UInt8(ascii: "/"))
        guard segments.allSatisfy(PathText.isEncodedSegment) else { throw .path }
        return String(text)
    }

    /// Whether the host is this machine, by name or number.
    public var isLoopback: Bool { ListenAddress(host: host, port: port).isLoopback }

    /// Host and port as they stand in a URL and in `Host`; the scheme's own port is left out.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    public var description: String { "\(isSecure ? "https" : "http")://\(authority)\(path == "/" ? "" : path)" }
}
