import HTTPWire
import Vault

/// The query of `GET /aliases`, and the `storage` of every call that names an alias.
struct RevealQuery {
    /// Each once, in the order in which they came.
    let aliases: [String]
    let storage: Storage?

    /// Exactly one of `q` and `aliases`, percent-decoded first, then split at commas.
    init(_ text: String?) throws(CallError) {
        let query = try Self.query(text)
        let lists = query.all("q") + query.all("aliases")
        guard lists.count == 1, let list = lists.first else {
            throw .malformed("give exactly one of q and aliases")
        }
        // By bytes: a comma with a combining mark behind it is one Character, and still separates.
        let aliases = list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard !aliases.contains(where: \.isEmpty) else { throw .malformed("an alias in the query is empty") }
        self.aliases = aliases.distinctByBytes
        storage = try Self.storage(query)
    }

    /// The `storage` alone.
    static func storage(_ text: String?) throws(CallError) -> Storage? {
        guard let text, !text.isEmpty else { return nil }
        return try storage(query(text))
    }

    private static func query(_ text: String?) throws(CallError) -> Query {
        do { return try Query(text ?? "", plus: .kept) } catch {
            throw .malformed("the query is not percent-encoded UTF-8")
        }
    }

    private static func storage(_ query: Query) throws(CallError) -> Storage? {
        let given = query.all("storage")
        guard let name = given.first else { return nil }
        guard given.count == 1 else { throw .malformed("storage must be given once") }
        return try Storage(named: name)
    }
}

extension Storage {
    /// The error text for any other value.
    static let expected = "storage must be PERSISTENT or VOLATILE"

    /// The storage of this name. Throws `malformed` if there is none.
    init(named name: String?) throws(CallError) {
        guard let storage = name.flatMap(Storage.init(rawValue:)) else {
            throw .malformed(Self.expected)
        }
        self = storage
    }
}
