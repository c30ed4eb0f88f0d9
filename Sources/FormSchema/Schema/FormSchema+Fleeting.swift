extension FormSchema {
    /// Whether any field becomes an alias.
    public var makesAliases: Bool { fields.contains { $0.tokenization != nil } }

    /// Whether the alias of any field lasts, so that an equal value gets it again.
    public var makesLastingAliases: Bool { fields.contains { $0.tokenization?.storage == .persistent } }

    /// The fields whose text must never reach a disk, not even as a digest that a key goes with: verification codes (PCI DSS
    /// 4.0, requirement 3.3.1.2), and whatever the form keeps in memory alone.
    public var fleetingFields: Set<String> {
        Set(fields.filter { $0.type == .cvc || $0.tokenization?.storage == .volatile }.map(\.name))
    }
}
