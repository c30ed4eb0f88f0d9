import Vault

/// The texts of one request that may be aliases, each once, to be looked up together.
struct AliasCandidates {
    /// Texts of one request that may be looked up. A body can hold a hundred thousand short ones.
    static let limit = 4_096

    private(set) var texts: [String] = []
    private var seen: Set<String> = []

    /// Takes the text in if an alias can look like it.
    mutating func add(_ text: String) throws(RequestFault) {
        guard AliasShape.mayBeAlias(text), seen.insert(text).inserted else { return }
        guard texts.count < Self.limit else {
            throw .malformed("more than \(Self.limit) texts of the request could be aliases")
        }
        texts.append(text)
    }
}
