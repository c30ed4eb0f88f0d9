/// Where the alias of one item comes from.
enum AliasSource: Sendable {
    /// A random token in this format's shape.
    case token(AliasFormat)
    /// A space of limited size.
    case space(AliasSpace)

    /// Whether there are so many aliases (2^100 or more) that one drawn at random can be taken for a new one without
    /// looking: the chance that it equals any given one is smaller than that of a fault in the machine.
    var isWide: Bool {
        switch self {
        case .token: true
        case .space(let space): space.size >= 0x1p100
        }
    }
}
