/// The members of a JSON object in the order they were given, each name once.
///
/// Names are the same when their bytes are: unlike `String`'s own comparison, `é` as one scalar and as two are two names.
public struct JSONObject: Sendable {
    /// A name with its value.
    public struct Member: Sendable {
        /// The member's name, unescaped.
        public let key: String
        /// The member's value.
        public var value: JSONValue
    }

    /// The members in order.
    public private(set) var members: [Member]

    /// An object without members.
    public init() {
        members = []
    }

    /// Members that the reader has found to have different names.
    init(checked members: [Member]) {
        self.members = members
    }

    /// The value of `key`; nil if there is no such member.
    public subscript(_ key: String) -> JSONValue? {
        index(of: key).map { members[$0].value }
    }

    /// The index of `key` among the members. A loop over a span: passing each member to a closure would retain it.
    private func index(of key: String) -> Int? {
        let members = members.span
        for index in members.indices where members[index].key.hasSameBytes(as: key) { return index }
        return nil
    }

    /// Replaces the value of `key` where it stands, or appends the member.
    public mutating func set(_ key: String, _ value: JSONValue) {
        if let index = index(of: key) {
            members[index].value = value
        } else {
            members.append(Member(key: key, value: value))
        }
    }
}
