/// Which paths a route may be asked for: segments, in which `*` stands for any text without a slash, and `**` as the last
/// segment for any number of segments, none included.
public struct PathPattern: Sendable, Hashable {
    /// Each as its pieces between the stars, percent-encoded; one piece: the whole segment as it is.
    private let segments: [[String]]
    private let takesRest: Bool

    /// Nil if `text` does not begin with a slash, has a segment that no path has, or `**` elsewhere than at its end.
    public init?(_ text: String) {
        let star = UInt8(ascii: "*")
        guard text.utf8.first == UInt8(ascii: "/"), PathText.isLiteral(text) else { return nil }
        var parts = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        takesRest = parts.last?.elementsEqual([star, star]) == true
        if takesRest { parts.removeLast() }
        guard !parts.contains(where: { $0.firstRange(of: [star, star]) != nil }),
            !parts.dropLast().contains(where: \.isEmpty)
        else { return nil }
        segments = parts.map { part in
            part.split(separator: star, omittingEmptySubsequences: false).map(PathText.encode)
        }
    }

    /// Whether a route may be asked for `path`: percent-encoded segments without a leading slash.
    public func matches(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard takesRest ? parts.count >= segments.count : parts.count == max(segments.count, 1) else { return false }
        if segments.isEmpty { return takesRest || path.isEmpty }
        return zip(segments, parts).allSatisfy { Self.matches($0, $1) }
    }

    /// Takes every piece where it first fits; the last one must fit the end. A star stands for at least one character where it
    /// is the whole segment.
    private static func matches(_ pieces: [String], _ part: Substring) -> Bool {
        guard let first = pieces.first, let last = pieces.last else { return false }
        if pieces.count == 1 { return part == first }
        guard !part.isEmpty, part.utf8.count >= first.utf8.count + last.utf8.count, part.hasPrefix(first),
            part.hasSuffix(last)
        else { return false }
        var rest = part.dropFirst(first.count).dropLast(last.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
