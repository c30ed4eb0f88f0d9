/// The erasures by classifier that are under way, as far as what is stored meanwhile must know of them.
///
/// An erasure covers the values that carry its classifier and have an id below its end. Sessions of a shared store draw ids in blocks, so
/// an id that is used later may lie below that end; and the clocks of processes differ. Therefore every transaction that stores something
/// reads which erasures are under way: what was asked for before is in the store by then. A new value gets an id that belongs to
/// none of them. One that is to be erased counts as gone already. One that gets the classifier only now moves to a new id.
struct OpenErasures: Sendable {
    struct Scope: Sendable {
        let classifier: String
        /// Values from this id on were stored later and stay.
        let end: Int64

        /// Whether this value is to be erased.
        func holds(_ record: ValueRecord) -> Bool { record.id < end && record.carries(classifier) }
    }

    static let none = OpenErasures(scopes: [])

    let scopes: [Scope]

    /// The first id that belongs to none.
    var firstFreeID: Int64 { scopes.reduce(0) { max($0, $1.end) } }

    /// Whether this value is to be erased.
    func holds(_ record: ValueRecord) -> Bool { scopes.contains { $0.holds(record) } }
}

extension ValueRecord {
    func carries(_ classifier: String) -> Bool {
        classifiers.contains { $0.utf8.elementsEqual(classifier.utf8) }
    }
}
