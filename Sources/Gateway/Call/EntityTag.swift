/// Entity tags of conditional requests.
enum EntityTag {
    /// Whether a list of entity tags has `tag`, by weak comparison (RFC 9110 section 13.1.2).
    static func isListed(_ tag: String, in lines: [String]) -> Bool {
        lines.flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map(Substring.init) }.contains { part in
            let candidate = part.drop { $0 == " " || $0 == "\t" }
            let end = candidate.lastIndex { $0 != " " && $0 != "\t" }
            let trimmed = end.map { candidate[...$0] } ?? candidate
            return trimmed == "*" || trimmed == tag || trimmed == "W/" + tag
        }
    }
}
