/// A pattern that means the same in PCRE2 and in JavaScript (`docs/reference/browser.md` section 5): the same characters, the same
/// match, and no text on which either of them takes more than linear time.
struct PortablePattern {
    /// The pattern for `new RegExp(source, 'u')`.
    let javaScript: String

    /// - Parameters:
    ///   - source: a pattern that PCRE2 has compiled.
    ///   - readsGroups: whether the result depends on where the match and its groups stand, not only on whether there is one.
    /// - Returns: nil if the pattern is not known to be portable.
    init?(_ source: String, readsGroups: Bool) {
        let syntax: PatternSyntax
        do throws(PatternParser.NotPortable) { syntax = try PatternParser.parse(source) } catch { return nil }
        // After an empty match PCRE2 searches again with options that JavaScript lacks.
        if readsGroups, syntax.canBeEmpty { return nil }
        guard Self.isPortable(syntax, readsGroups: readsGroups), Self.isLinear(syntax) else { return nil }
        var text = ""
        Self.write(syntax, into: &text)
        javaScript = text
    }

    /// Whether repetitions do the same in both: they differ in what an empty repetition and a repeated group leave behind.
    private static func isPortable(_ syntax: PatternSyntax, readsGroups: Bool) -> Bool {
        switch syntax {
        case .empty, .anchor, .scalar: return true
        case .sequence(let items), .alternatives(let items):
            return items.allSatisfy { isPortable($0, readsGroups: readsGroups) }
        case .group(let item): return isPortable(item, readsGroups: readsGroups)
        case .lookAhead(let item, _): return !item.hasLookAhead && isPortable(item, readsGroups: readsGroups)
        case .repetition(let item, let repetition):
            if item.canBeEmpty || item.hasLookAhead { return false }
            if readsGroups, item.hasGroup, repetition.maximum ?? 2 > 1 { return false }
            return isPortable(item, readsGroups: readsGroups)
        }
    }

    /// Whether the pattern and each of its look-aheads take linear time.
    private static func isLinear(_ syntax: PatternSyntax) -> Bool {
        PatternAutomaton.isLinear(syntax) && lookAheads(of: syntax).allSatisfy(PatternAutomaton.isLinear)
    }

    private static func lookAheads(of syntax: PatternSyntax) -> [PatternSyntax] {
        switch syntax {
        case .empty, .anchor, .scalar: []
        case .sequence(let items), .alternatives(let items): items.flatMap(lookAheads)
        case .group(let item), .repetition(let item, _): lookAheads(of: item)
        case .lookAhead(let item, _): [item]
        }
    }
}

extension PortablePattern {
    private static func write(_ syntax: PatternSyntax, into text: inout String) {
        switch syntax {
        case .empty: text += "(?:)"
        case .scalar(let scalars): write(scalars, into: &text)
        case .anchor(let anchor): text += spelling(of: anchor)
        case .sequence(let items):
            for item in items {
                // A repetition needs a group only inside another one.
                if case .repetition = item { write(item, into: &text) } else { writeItem(item, into: &text) }
            }
        case .alternatives(let items):
            for index in items.indices {
                if index > 0 { text += "|" }
                write(items[index], into: &text)
            }
        case .group(let item):
            text += "("
            write(item, into: &text)
            text += ")"
        case .lookAhead(let item, let isNegative):
            text += isNegative ? "(?!" : "(?="
            write(item, into: &text)
            text += ")"
        case .repetition(let item, let repetition):
            writeItem(item, into: &text)
            write(repetition, into: &text)
        }
    }

    /// Writes a part of a sequence or of a repetition, in a group if it would fall apart.
    private static func writeItem(_ item: PatternSyntax, into text: inout String) {
        guard item.isCompound else { return write(item, into: &text) }
        text += "(?:"
        write(item, into: &text)
        text += ")"
    }

    private static func write(_ repetition: PatternSyntax.Repetition, into text: inout String) {
        switch (repetition.minimum, repetition.maximum) {
        case (0, nil): text += "*"
        case (1, nil): text += "+"
        case (0, 1): text += "?"
        case (let minimum, nil): text += "{\(minimum),}"
        case (let minimum, let maximum?): text += minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}"
        }
        if repetition.isLazy { text += "?" }
    }

    private static func spelling(of anchor: PatternSyntax.Anchor) -> String {
        switch anchor {
        case .start: "^"
        case .end: "$"
        case .endOrFinalLineFeed: "(?=\\n?$)"
        case .wordBoundary: "\\b"
        case .notWordBoundary: "\\B"
        }
    }

    private static func write(_ scalars: PatternSyntax.ScalarClass, into text: inout String) {
        let ranges = scalars.scalars.ranges
        if !scalars.isNegated, scalars.categories.isEmpty, ranges.count == 1, ranges[0].count == 1 {
            return write(ranges[0].lowerBound, isInClass: false, into: &text)
        }
        text += scalars.isNegated ? "[^" : "["
        for range in ranges {
            write(range.lowerBound, isInClass: true, into: &text)
            if range.count == 1 { continue }
            if range.count > 2 { text += "-" }
            write(range.upperBound, isInClass: true, into: &text)
        }
        for (category, isNegated) in scalars.categories {
            text += isNegated ? "\\P{" : "\\p{"
            text += category.name + "}"
        }
        text += "]"
    }

    /// Writes a character that stands for itself.
    private static func write(_ value: UInt32, isInClass: Bool, into text: inout String) {
        if value < 0x20 || (0x7F...0xA0).contains(value) {
            text += "\\x" + (value < 0x10 ? "0" : "") + String(value, radix: 16)
            return
        }
        // Ranges neither begin nor end with a surrogate: no text has any.
        guard let scalar = Unicode.Scalar(value) else { return }
        if "^$\\.*+?()[]{}|/".unicodeScalars.contains(scalar) || isInClass && scalar == "-" { text += "\\" }
        text.unicodeScalars.append(scalar)
    }
}

extension PatternSyntax {
    /// Whether it needs a group around it before a quantifier.
    fileprivate var isCompound: Bool {
        switch self {
        case .alternatives, .sequence, .repetition: true
        default: false
        }
    }
}
