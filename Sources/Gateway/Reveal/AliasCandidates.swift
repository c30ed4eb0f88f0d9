import Vault

/// The texts of one request that may be aliases, each once, to be looked up together.
struct AliasCandidates {
    /// Texts of one request that may be looked up. A body can hold a hundred thousand short ones.
    static let limit = 4_096

    /// Bytes that values may take in the places of aliases, all together: a short body can name a long value many times.
    private static let room = 16 << 20

    private(set) var texts: [String] = []
    /// How often each occurs.
    private var counts: [String: Int] = [:]

    /// Takes the text in if an alias can look like it.
    mutating func add(_ text: String) throws(RequestFault) {
        guard AliasShape.mayBeAlias(text) else { return }
        counts[text, default: 0] += 1
        guard counts[text] == 1 else { return }
        guard texts.count < Self.limit else {
            throw .malformed("more than \(Self.limit) texts of the request could be aliases")
        }
        texts.append(text)
    }

    /// Stops a request whose values would not have room.
    func demandRoom(for values: RevealedValues) throws(RequestFault) {
        var bytes = 0
        for alias in values.aliases {
            bytes += (counts[alias] ?? 0) * (values[alias]?.utf8.count ?? 0)
            guard bytes <= Self.room else { throw .revealTooLarge }
        }
    }
}
