/// One step of a field's `transform` (`docs/reference/elements.md` section 5).
struct Transform: Sendable {
    /// The case that a whole text is put into.
    enum Case: String, Sendable, CaseIterable {
        case upper
        case lower
    }

    /// The most bytes of a step's result; a longer result counts as reaching the match limit.
    private static let maximumLength = 1 << 22

    /// Nil for a step that only changes case.
    let matcher: Pattern?
    let replacement: Template
    let changesCase: Case?

    /// The text after this step. Without a match it is unchanged: case does not change either.
    func apply(to text: String) throws(Pattern.Exhausted) -> String {
        guard let matcher else { return cased(text) }
        guard let replaced = try replaceMatches(of: matcher, in: text) else { return text }
        return cased(replaced)
    }

    private func cased(_ text: String) -> String {
        switch changesCase {
        case .upper: text.uppercased()
        case .lower: text.lowercased()
        case nil: text
        }
    }

    /// Text with every match replaced; nil if there is none. After an empty match the search continues with a match
    /// that is not empty, or else one character further, as Perl's `s///g` does.
    private func replaceMatches(of matcher: Pattern, in text: String) throws(Pattern.Exhausted) -> String? {
        var search = matcher.newSearch()
        let source = Array(text.utf8)
        var result: [UInt8] = []
        var copied = 0
        var position = 0
        var afterEmpty = false
        var matched = false
        while position <= source.count {
            let options = afterEmpty ? Pattern.notEmptyHere : 0
            let found = try matcher.next(in: text, from: position, options: options, &search) { groups in
                groups.range(0).map { whole in
                    guard whole.lowerBound >= position else { return whole }
                    result.append(contentsOf: source[min(copied, whole.lowerBound)..<whole.lowerBound])
                    replacement.append(groups, of: source, to: &result)
                    return whole
                }
            }
            guard let found, let whole = found else {
                guard afterEmpty else { break }
                position = Self.nextCharacter(after: position, in: source)
                afterEmpty = false
                continue
            }
            guard whole.lowerBound >= position else {
                // `\K` in a subroutine can set a match's start before the search, where it would be found again without end.
                position = Self.nextCharacter(after: position, in: source)
                afterEmpty = false
                continue
            }
            guard result.count <= Self.maximumLength else { throw Pattern.Exhausted() }
            matched = true
            copied = whole.upperBound
            position = whole.upperBound
            afterEmpty = whole.isEmpty
        }
        guard matched else { return nil }
        result.append(contentsOf: source[min(copied, source.count)...])
        return String(decoding: result, as: UTF8.self)
    }

    /// The offset of the scalar after the one at `offset`.
    private static func nextCharacter(after offset: Int, in source: [UInt8]) -> Int {
        var next = offset + 1
        while next < source.count, source[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
