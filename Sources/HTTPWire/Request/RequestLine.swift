/// `method SP request-target SP HTTP-version` (RFC 9112 section 3): single spaces, nothing before, nothing after.
struct RequestLine: Sendable {
    /// The position of the method; it becomes a `Method` when the head is complete.
    let method: Extent
    let target: TargetPositions
    let version: HTTPVersion

    init(_ bytes: Span<UInt8>, line: Range<Int>) throws(WireError) {
        let endOfMethod = RequestLine.nextSpace(bytes, line)
        let method = line.lowerBound..<endOfMethod
        guard bytes.isToken(method) else { throw .malformedMethod }
        guard endOfMethod < line.upperBound else { throw .malformedRequestLine }
        let endOfTarget = RequestLine.nextSpace(bytes, endOfMethod + 1..<line.upperBound)
        guard endOfTarget < line.upperBound else { throw .malformedRequestLine }
        // The version is checked before the target, so that the preface of HTTP/2 gets the error about its version.
        version = try HTTPVersion.parse(bytes, endOfTarget + 1..<line.upperBound)
        self.method = Extent(method)
        target = try TargetPositions(
            bytes, endOfMethod + 1..<endOfTarget, method: Method.recognise(bytes, method))
    }

    private static func nextSpace(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != .space { index += 1 }
        return index
    }
}
