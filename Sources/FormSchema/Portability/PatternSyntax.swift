/// The syntax tree of a pattern, as far as it means the same in PCRE2 and in JavaScript.
indirect enum PatternSyntax {
    case empty
    case scalar(ScalarClass)
    case anchor(Anchor)
    case sequence([PatternSyntax])
    case alternatives([PatternSyntax])
    case group(PatternSyntax)
    case lookAhead(PatternSyntax, isNegative: Bool)
    case repetition(PatternSyntax, Repetition)

    /// A set of characters; one of them matches.
    struct ScalarClass {
        var isNegated = false
        var scalars = ScalarSet()
        var categories: [(category: CategoryName, isNegated: Bool)] = []

        /// All characters that it matches.
        var all: ScalarSet {
            let positive = categories.reduce(scalars) { set, next in
                let scalars = next.category.scalars
                return set.union(next.isNegated ? scalars.complement : scalars)
            }
            return isNegated ? positive.complement : positive
        }
    }

    /// A place in the text.
    enum Anchor {
        case start
        case end
        /// The end, or before a line feed that is the last character: PCRE2's `$`.
        case endOrFinalLineFeed
        case wordBoundary
        case notWordBoundary
    }

    struct Repetition {
        let minimum: Int
        /// Nil for no limit.
        let maximum: Int?
        let isLazy: Bool
    }

    /// Whether it can match without consuming anything.
    var canBeEmpty: Bool {
        switch self {
        case .empty, .anchor, .lookAhead: true
        case .scalar: false
        case .sequence(let items): items.allSatisfy { $0.canBeEmpty }
        case .alternatives(let items): items.contains { $0.canBeEmpty }
        case .group(let item): item.canBeEmpty
        case .repetition(let item, let repetition): repetition.minimum == 0 || item.canBeEmpty
        }
    }

    /// Whether it holds a capture group.
    var hasGroup: Bool {
        switch self {
        case .empty, .anchor, .scalar: false
        case .sequence(let items), .alternatives(let items): items.contains { $0.hasGroup }
        case .group: true
        case .lookAhead(let item, _), .repetition(let item, _): item.hasGroup
        }
    }

    /// Whether it holds a look-ahead.
    var hasLookAhead: Bool {
        switch self {
        case .empty, .anchor, .scalar: false
        case .sequence(let items), .alternatives(let items): items.contains { $0.hasLookAhead }
        case .lookAhead: true
        case .group(let item), .repetition(let item, _): item.hasLookAhead
        }
    }
}
