/// What is to be done for the items of a create request. While all of them are settled there are only their answers.
struct CreationPlan: Sendable {
    /// The answers to the items that are settled, up to the first that is not.
    private(set) var answers: [StoredValue] = []
    /// All items, once there is one that is not settled.
    var items: [PlannedItem] = []

    /// A plan for so many items.
    init(count: Int) {
        answers.reserveCapacity(count)
    }

    /// Whether nothing is left to be done.
    var isSettled: Bool { items.isEmpty }

    /// Adds an item that is answered already.
    mutating func settle(_ answer: StoredValue) {
        if items.isEmpty { answers.append(answer) } else { items.append(.settled(answer)) }
    }

    /// Adds an item that is not.
    mutating func add(_ item: PlannedItem) {
        if items.isEmpty { items = answers.map(PlannedItem.settled) }
        items.append(item)
    }
}
