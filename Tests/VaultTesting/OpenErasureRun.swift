import Sensitive
public import Vault

/// What is stored while an erasure by classifier is under way, in one process or, of the same store, in two.
public struct OpenErasureRun: Sendable {
    private let vault: Vault
    private let other: Vault

    /// - Parameter other: the vault as another process opens it; nil for the same one.
    public init(_ vault: Vault, beside other: Vault? = nil) {
        self.vault = vault
        self.other = other ?? vault
    }

    private func begin() async throws -> Erasure {
        try await vault.beginErasure(classifier: "gone", storage: nil, requestID: "r1", credential: "dev")
    }

    private func finish(_ erasure: Erasure) async throws -> Erasure {
        var last = erasure
        while last.finishedAt == nil { last = try await vault.advance(erasure: erasure.id) ?? last }
        return last
    }

    /// The faults that were found.
    public func faults() async throws -> [String] {
        var faults: [String] = []
        func expect(_ isSo: Bool, _ fault: String) { if !isSo { faults.append(fault) } }

        // Both have drawn ids before, so that smaller ones than those of what is stored already are used later.
        let old = try await other.alias(.new("old", .uuid, ["gone"]))
        _ = try await vault.alias(.new("mine", .uuid, ["gone"]))
        let plain = try await other.alias(.new("plain", .uuid, ["kept"]))
        let changed = try await other.alias(.new("changed", .uuid))
        let second = try await other.create([.reference(alias: changed, format: .rawUUID)])[0].aliases[1].alias
        let begun = try await begin()
        expect(begun.count == 2, "counted \(begun.count)")

        let new = try await other.alias(.new("new", .uuid, ["gone"]))
        // One that waits to be erased is erased at once and stored anew.
        let again = try await other.alias(.new("old", .uuid, ["gone"]))
        expect(again != old, "a value that is to be erased was used again")
        expect(await other.value(old) == nil, "the old alias still reveals")
        expect(try await other.alias(.new("old", .uuid)) == again, "equal values, different aliases")
        // An older value that gets the classifier now was none of those that were meant.
        expect(try await other.alias(.new("plain", .uuid, ["gone"])) == plain, "another alias for a kept value")
        try await other.replaceClassifiers(of: changed, with: ["gone"])

        let done = try await finish(begun)
        expect(done.values == 1, "erased \(done.values)")
        for (alias, value) in [
            (new, "new"), (again, "old"), (plain, "plain"), (changed, "changed"), (second, "changed"),
        ] {
            expect(await other.value(alias) == value, "\(value) is gone")
        }
        let stored = try await vault.reveal([changed])[0].stored
        expect(stored.aliases.map(\.alias) == [changed, second], "aliases in another order")
        expect(stored.classifiers == ["gone"], "other classifiers")
        // All of them are found by the next.
        let next = try await finish(try await begin())
        expect(next.values == 4 && next.aliases == 5, "the next erased \(next.values) with \(next.aliases)")
        for alias in [new, changed] { expect(await other.value(alias) == nil, "the next left some") }
        return faults
    }

    /// Requests that hold, in every order, a value that gets the classifier now, one that waits to be erased, and a new one. Returns the
    /// values that do not reveal afterwards.
    public func lostInMixedRequests() async throws -> [String] {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        for number in orders.indices {
            _ = try await other.create([.new("plain \(number)"), .new("waits \(number)", .uuid, ["gone"])])
        }
        let begun = try await begin()
        var made: [(alias: String, value: String)] = []
        for (number, order) in orders.enumerated() {
            let values = order.map { ["plain", "waits", "new"][$0] + " \(number)" }
            let stored = try await other.create(values.map { .new($0, .uuid, ["gone"]) })
            for (stored, value) in zip(stored, values) { made.append((stored.aliases[0].alias, value)) }
        }
        _ = try await finish(begun)
        var lost: [String] = []
        for (alias, value) in made where await other.value(alias) != value { lost.append(value) }
        return lost
    }

    /// Whether an alias of a value that waits to be erased is unknown to who would change or use the value.
    public func refusesWhatWaits() async throws -> Bool {
        let alias = try await other.alias(.new("waits", .uuid, ["gone"]))
        let begun = try await begin()
        let references = [VaultItem.reference(alias: alias, format: .rawUUID)]
        let isUsed = (try? await other.create(references)) != nil
        let isChanged = (try? await other.replaceClassifiers(of: alias, with: [])) != nil
        let erased = try await finish(begun).values
        return !isUsed && !isChanged && erased == 1
    }
}
