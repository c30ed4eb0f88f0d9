import Configuration
import JSON
import Vault

/// The places of a request's body whose texts are looked up (`docs/reference/proxy.md` section 7).
///
/// A short text of digits may be an alias and may as well be an amount. So aliases of every format count only where a pointer says that
/// one stands; elsewhere a text must have a shape that only aliases have.
struct BodyPlaces: Sendable {
    /// What is looked up at a place.
    enum Lookup {
        case nothing
        /// What has a shape that only an alias has.
        case unmistakable
        case every

        func covers(_ text: String) -> Bool {
            switch self {
            case .nothing: false
            case .unmistakable: AliasShape.isUnmistakable(text)
            case .every: AliasShape.mayBeAlias(text)
            }
        }
    }

    /// Indexes of pointers with how many of their tokens lead to the place where the walk is.
    typealias Active = [(pointer: Int, depth: Int)]

    /// Where an alias must stand.
    let required: [JSONPointer]
    /// Where aliases of every format are looked up.
    private let pointers: [JSONPointer]
    private let elsewhere: Lookup
    /// Whether a body that can't be read is refused.
    let mustBeReadable: Bool

    init(_ rules: RevealRules) {
        required = rules.require
        switch rules.body {
        case .pointers(let list):
            pointers = list + rules.require
            elsewhere = .nothing
            mustBeReadable = true
        case .no:
            pointers = rules.require
            elsewhere = .nothing
            mustBeReadable = !rules.require.isEmpty
        case .yes, .require:
            pointers = rules.require
            elsewhere = .unmistakable
            mustBeReadable = rules.body == .require || !rules.require.isEmpty
        }
    }

    /// Whether nothing in a body is looked up.
    var isEmpty: Bool { pointers.isEmpty && elsewhere == .nothing }

    // MARK: JSON

    /// At the root of the body.
    var root: Active { pointers.indices.map { ($0, 0) } }

    func lookup(at active: Active) -> Lookup {
        for (pointer, depth) in active where depth == pointers[pointer].tokens.count { return .every }
        return elsewhere
    }

    func into(_ index: Int, _ active: Active) -> Active {
        step(active) { $0.selects(element: index, at: $1) }
    }

    func into(_ key: String, _ active: Active) -> Active {
        step(active) { $0.selects(member: key, at: $1) }
    }

    @inline(__always)
    private func step(_ active: Active, _ leads: (JSONPointer, Int) -> Bool) -> Active {
        var inside: Active = []
        // Nothing is allocated where no pointer leads.
        for (pointer, depth) in active where leads(pointers[pointer], depth) { inside.append((pointer, depth + 1)) }
        return inside
    }

    // MARK: Forms

    /// For a value of a form, whose pointer is its name.
    func lookup(atName name: String) -> Lookup {
        pointers.contains { $0.selects(name: name) } ? .every : elsewhere
    }
}

extension JSONPointer {
    /// Whether it is the pointer of a form's values of this name.
    func selects(name: String) -> Bool { tokens.count == 1 && selects(member: name, at: 0) }

    /// Whether the pointer selects a value at least, every branch of its `*` does, and `isWanted` accepts each.
    func selects(only isWanted: (JSONValue) -> Bool, in json: JSONValue, at depth: Int = 0) -> Bool {
        guard depth < tokens.count else { return isWanted(json) }
        var values: [JSONValue] = []
        switch json {
        case .array(let elements):
            values = elements.indices.filter { selects(element: $0, at: depth) }.map { elements[$0] }
        case .object(let object):
            values = object.members.filter { selects(member: $0.key, at: depth) }.map(\.value)
        case .null, .bool, .number, .string: break
        }
        return !values.isEmpty && values.allSatisfy { selects(only: isWanted, in: $0, at: depth + 1) }
    }
}
