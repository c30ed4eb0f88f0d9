/// Reads the hops of `Forwarded` (RFC 7239 section 4) and `X-Forwarded-For`.
enum ForwardedHeader {
    /// The `for` of each element from left to right; an entry is nil where an element has none, or one that is no
    /// address. Nil as a whole if the header does not follow the grammar: then nothing in it can be told apart.
    static func hops(_ values: [String]) -> [IPAddress?]? {
        var reader = Reader(bytes: Array(values.joined(separator: ",").utf8))
        return reader.elements()
    }

    /// The entries of `X-Forwarded-For`, which has no standard: addresses between commas, some proxies add a port.
    static func plainHops(_ values: [String]) -> [IPAddress?]? {
        let comma = UInt8(ascii: ",")
        return Array(values.joined(separator: ",").utf8)
            .split(separator: comma, omittingEmptySubsequences: false)
            .map { node($0.trimmingBlanks()) }
    }

    /// An address, with or without a port, IPv6 with or without brackets (but in brackets before a port).
    static func node(_ text: ArraySlice<UInt8>) -> IPAddress? {
        guard text.count <= 64, let first = text.first else { return nil }
        if first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let inner = text[(text.startIndex + 1)..<end]
            // Brackets are for IPv6 alone (RFC 3986 section 3.2.2).
            guard inner.contains(UInt8(ascii: ":")), isPort(text[(end + 1)...]) else { return nil }
            return IPAddress(bytes: inner)
        }
        if let address = IPAddress(bytes: text) { return address }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), isPort(text[colon...]) else { return nil }
        return IPAddress(bytes: text[..<colon])
    }

    /// Whether this is nothing, or a colon and a port: digits, or an obfuscated one (RFC 7239 section 6).
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.first else { return true }
        guard colon == UInt8(ascii: ":") else { return false }
        let port = text.dropFirst()
        if port.first == UInt8(ascii: "_") {
            return port.count > 1 && port.dropFirst().allSatisfy { $0.isTokenCharacter }
        }
        return (1...5).contains(port.count) && port.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }

    /// `forwarded-element *( OWS "," OWS forwarded-element )`. Empty elements are skipped (RFC 9110 section 5.6.1).
    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func elements() -> [IPAddress?]? {
            var hops: [IPAddress?] = []
            while true {
                skipBlanks()
                if position < bytes.count, bytes[position] != UInt8(ascii: ",") {
                    var hop: IPAddress?
                    guard element(&hop) else { return nil }
                    hops.append(hop)
                    skipBlanks()
                }
                guard position < bytes.count else { return hops }
                guard take(UInt8(ascii: ",")) else { return nil }
            }
        }

        /// Whether an element could be read: pairs between semicolons, `for` at most once.
        private mutating func element(_ hop: inout IPAddress?) -> Bool {
            var hasFor = false
            while true {
                let name = token()
                guard !name.isEmpty, take(UInt8(ascii: "=")), let value = value() else { return false }
                if name.lowercased == Array("for".utf8) {
                    guard !hasFor else { return false }
                    hasFor = true
                    hop = ForwardedHeader.node(value[...])
                }
                skipBlanks()
                guard take(UInt8(ascii: ";")) else { return true }
                skipBlanks()
                // A semicolon at the end of an element is tolerated.
                if position == bytes.count || bytes[position] == UInt8(ascii: ",") { return true }
            }
        }

        private mutating func value() -> [UInt8]? {
            guard take(UInt8(ascii: "\"")) else {
                // Some proxies write addresses with a port or brackets without the quotes that they need.
                let start = position
                while position < bytes.count, bytes[position].isTokenCharacter || ":[]".utf8.contains(bytes[position]) {
                    position += 1
                }
                return start == position ? nil : Array(bytes[start..<position])
            }
            var text: [UInt8] = []
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\"") { return text }
                if byte == UInt8(ascii: "\\") {
                    guard position < bytes.count else { return nil }
                    text.append(bytes[position])
                    position += 1
                } else {
                    text.append(byte)
                }
            }
            return nil
        }

        private mutating func token() -> ArraySlice<UInt8> {
            let start = position
            while position < bytes.count, bytes[position].isTokenCharacter { position += 1 }
            return bytes[start..<position]
        }

        private mutating func skipBlanks() {
            while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            guard position < bytes.count, bytes[position] == byte else { return false }
            position += 1
            return true
        }
    }
}

extension UInt8 {
    /// `tchar` of RFC 9110 section 5.6.2.
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func trimmingBlanks() -> ArraySlice<UInt8> {
        var rest = self
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }

    fileprivate var lowercased: [UInt8] {
        map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }
}
