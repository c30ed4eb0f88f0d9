extension String {
    /// Whether a browser would send this text as the `Origin` of a page (RFC 6454 section 6.2): `http` or `https`, a host in lower
    /// case, an address in the one way that browsers write it, and a port unless it is the scheme's own. A session for any other text could
    /// never be used.
    var isSerializedOrigin: Bool {
        for (scheme, ownPort) in [("https://", 443), ("http://", 80)] where utf8.starts(with: scheme.utf8) {
            let authority = Array(utf8.dropFirst(scheme.utf8.count))[...]
            guard let end = Self.endOfHost(authority) else { return false }
            return Self.isPort(authority[end...], otherThan: ownPort)
        }
        return false
    }

    /// Where the host ends; nil if there is none, or if it is no name and no IPv6 address in brackets.
    private static func endOfHost(_ authority: ArraySlice<UInt8>) -> Int? {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let address = authority[(authority.startIndex + 1)..<end]
            guard address.contains(UInt8(ascii: ":")), let known = IPAddress(bytes: address),
                address.elementsEqual(known.hexadecimal.utf8)
            else { return nil }
            return end + 1
        }
        let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let isName = authority[..<end].allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isName, end > authority.startIndex else { return nil }
        return mayBeAddress(authority[..<end]) ? IPAddress(bytes: authority[..<end]).map { _ in end } : end
    }

    /// Whether browsers parse the host as an IPv4 address, which they then send in dotted decimal: its last label is a decimal or
    /// hexadecimal number (WHATWG URL, "ends in a number").
    private static func mayBeAddress(_ host: ArraySlice<UInt8>) -> Bool {
        let labels = (host.last == UInt8(ascii: ".") ? host.dropLast() : host).split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let last = labels.last, !last.isEmpty else { return false }
        if last.allSatisfy({ (0x30...0x39).contains($0) }) { return true }
        return last.starts(with: "0x".utf8)
            && last.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Whether this is nothing, or a colon and a port without leading zeros.
    private static func isPort(_ text: ArraySlice<UInt8>, otherThan ownPort: Int) -> Bool {
        if text.isEmpty { return true }
        let digits = text.dropFirst()
        guard text.first == UInt8(ascii: ":"), (1...5).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return false }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return port <= 65_535 && port != ownPort
    }
}
