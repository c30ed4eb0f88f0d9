/// The members of a JSON object in the order they were given, each name once.
///
/// Names are the same when their bytes are: unlike `String`'s own comparison, `é` as one scalar and as two are two names.
public struct JSONObject: Sendable {
    /// A name with its value.
    public struct Member: Sendable {
        public let key: String
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

    /// Where `key` stands among the members.
    public func index(of key: String) -> Int? {
        members.indexOfKey(key)
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

extension [JSONObject.Member] {
    /// Where the member named `key` stands. A plain loop in place: passing each member to a closure would retain it.
    @inline(__always)
    func indexOfKey(_ key: String) -> Int? {
        let members = span
        for index in members.indices where members[index].key.hasSameBytes(as: key) { return index }
        return nil
    }
}

extension String {
    /// Whether both strings are the same UTF-8 bytes; `==` also equates canonically equivalent strings.
    @inline(__always)
    public func hasSameBytes(as other: String) -> Bool {
        // The counts first: they are known without a look at the bytes.
        utf8.count == other.utf8.count && utf8Span.span.isSame(as: other.utf8Span.span)
    }
}
