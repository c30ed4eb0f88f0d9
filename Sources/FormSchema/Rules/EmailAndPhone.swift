/// The two ready rules for text fields (`elements.md` section 10). Written out rather than as patterns: they take one pass
/// over text of any length.
extension ValidationRule {
    /// `local@domain.tld` in ASCII, with exactly one `@`.
    static func isEmail(_ text: String) -> Bool {
        let sides = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty else { return false }
        guard sides[0].allSatisfy({ $0.isAlphanumeric || "._%+-".utf8.contains($0) }) else { return false }
        guard sides[1].allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }) else {
            return false
        }
        guard let dot = sides[1].lastIndex(of: UInt8(ascii: ".")), dot > sides[1].startIndex else { return false }
        let topLevel = sides[1][dot...].dropFirst()
        return topLevel.count >= 2 && topLevel.allSatisfy(\.isLetter)
    }

    /// Ten digits, grouped with `(` `)` `-` `.` and spaces as one likes.
    static func isPhone(_ text: String) -> Bool {
        var digits = 0
        for byte in text.utf8 {
            if byte.isDigit {
                digits += 1
            } else if !"()-. ".utf8.contains(byte) {
                return false
            }
        }
        return digits == 10
    }
}
