/// How much there is of a text, counted in characters (grapheme clusters); faster where it is plain ASCII.
extension String {
    /// Number of characters.
    var characterCount: Int { isPlainASCII ? utf8.count : count }

    /// Number of letters and digits.
    var alphanumericCount: Int {
        isPlainASCII
            ? utf8.reduce(0) { $0 + ($1.isAlphanumeric ? 1 : 0) }
            : reduce(0) { $0 + (($1 as Character).isAlphanumeric ? 1 : 0) }
    }

    /// Number of ASCII digits, each a whole character.
    var digitCount: Int {
        guard isPlainASCII else { return count { $0.isDigit } }
        var count = 0
        let bytes = utf8Span.span
        for index in bytes.indices where bytes[index].isDigit { count += 1 }
        return count
    }
}
