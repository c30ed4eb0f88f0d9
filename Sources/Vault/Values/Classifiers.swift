extension Vault {
    /// As many classifiers a value may have: each read of it, and each look for what carries one, goes through all of them.
    public static let classifiersPerValue = 100
    /// So long one may be, in bytes of UTF-8; and no shorter than one, since nothing that names a classifier takes an empty one.
    public static let classifierBytes = 1_024

    /// The rule, as an error tells it.
    public static let classifierRule =
        "a value may have at most \(classifiersPerValue) classifiers, each of 1 to \(classifierBytes) bytes"
}

extension [String] {
    /// Whether a value may be given these classifiers. What was stored under other rules is read all the same.
    var areSuitable: Bool {
        count <= Vault.classifiersPerValue && allSatisfy { 1...Vault.classifierBytes ~= $0.utf8.count }
    }
}
