extension TargetPositions {
    /// Reads the target in `range` for a request of `method` (RFC 9112 section 3.2). A fragment is refused.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>, method: Method) throws(WireError) {
        guard !range.isEmpty else { throw .malformedRequestLine }
        if method == .connect {
            try self.init(authority: bytes, range)
        } else if bytes[range.lowerBound] == UInt8(ascii: "/") {
            try self.init(origin: bytes, range)
        } else if range.count == 1, bytes[range.lowerBound] == UInt8(ascii: "*"), method == .options {
            self.init(form: .asterisk, whole: range, authority: nil, path: range, query: nil)
        } else {
            try self.init(absolute: bytes, range)
        }
    }

    private init(origin bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) {
        let end = try TargetPositions.endOfText(bytes, range, allowing: .path)
        let query = try TargetPositions.query(bytes, end..<range.upperBound)
        self.init(form: .origin, whole: range, authority: nil, path: range.lowerBound..<end, query: query)
    }

    /// `http` and `https` only, without user information (RFC 9110 section 4.2.4).
    private init(absolute bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) {
        guard let start = TargetPositions.endOfScheme(bytes, range) else { throw .malformedTarget }
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: "/"), bytes[end] != UInt8(ascii: "?") { end += 1 }
        guard Authority(bytes, start..<end) != nil else { throw .malformedTarget }
        let endOfPath = try TargetPositions.endOfText(bytes, end..<range.upperBound, allowing: .path)
        let query = try TargetPositions.query(bytes, endOfPath..<range.upperBound)
        self.init(form: .absolute, whole: range, authority: start..<end, path: end..<endOfPath, query: query)
    }

    /// A CONNECT target is a host and a port (RFC 9112 section 3.2.3).
    private init(authority bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) {
        guard let authority = Authority(bytes, range), authority.hasPort else { throw .malformedTarget }
        let nothing = range.upperBound..<range.upperBound
        self.init(form: .authority, whole: range, authority: range, path: nothing, query: nil)
    }

    /// Where the authority starts, after `http://` or `https://`.
    private static func endOfScheme(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let start = range.lowerBound
        if range.count >= 7, bytes.equals("http://", ignoringCaseIn: start..<start + 7) { return start + 7 }
        if range.count >= 8, bytes.equals("https://", ignoringCaseIn: start..<start + 8) { return start + 8 }
        return nil
    }

    /// What follows the path: nothing, or `?` and a query.
    private static func query(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(WireError) -> Range<Int>? {
        guard let mark = range.first else { return nil }
        guard bytes[mark] == UInt8(ascii: "?") else { throw .malformedTarget }
        let query = mark + 1..<range.upperBound
        guard try endOfText(bytes, query, allowing: .query) == range.upperBound else { throw .malformedTarget }
        return query
    }

    /// The first position in `range` whose byte is neither in `set` nor part of a percent escape, which must be complete.
    private static func endOfText(
        _ bytes: Span<UInt8>, _ range: Range<Int>, allowing set: ByteSet
    ) throws(WireError) -> Int {
        var index = range.lowerBound
        while index < range.upperBound {
            if set.contains(bytes[index]) {
                index += 1
            } else if bytes[index] == .percent {
                guard bytes.isEscape(at: index, before: range.upperBound) else { throw .malformedTarget }
                index += 3
            } else {
                break
            }
        }
        return index
    }
}

extension Span where Element == UInt8 {
    /// Whether the `%` at `index` starts a complete escape, `"%" HEXDIG HEXDIG` (RFC 3986 section 2.1).
    func isEscape(at index: Int, before end: Int) -> Bool {
        index + 2 < end && self[index + 1].hexValue != nil && self[index + 2].hexValue != nil
    }
}
