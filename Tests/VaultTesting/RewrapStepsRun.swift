public import Vault

/// The steps of a store by which what is sealed under older keys is found, the same for every store.
public enum RewrapStepsRun {
    /// What an empty store does otherwise than it should.
    public static func problems(in vault: Vault, _ store: any AliasStore) async throws -> [String] {
        var problems: [String] = []
        func expect(_ isSo: Bool, _ what: String) { if !isSo { problems.append(what) } }
        let names = (0..<5 as Range<UInt8>).map { [UInt8](repeating: $0, count: 32) }
        for number in 0..<5 { _ = try await vault.alias(.new("old \(number)")) }
        for name in names.prefix(3) { try await vault.storeResponse([1], under: name, for: 1_000) }
        try await vault.rotateKey()
        for number in 0..<3 { _ = try await vault.alias(.new("new \(number)")) }
        for name in names.dropFirst(3) { try await vault.storeResponse([2], under: name, for: 1_000) }

        let records = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 100).records
        }
        guard records.count == 8 else { return ["\(records.count) values"] }
        let (ids, old, new) = (records.map(\.id), records[0].keyID, records[7].keyID)
        let spans = { (id: Int64) in
            try await store.read { (reading) throws(VaultError) in
                try reading.keySpans(ofValuesAfter: id, count: 6).sorted { $0.key < $1.key }
            }
        }
        let both = [
            KeySpan(key: old, first: ids[0], last: ids[4], count: 5),
            KeySpan(key: new, first: ids[5], last: ids[5], count: 1),
        ]
        expect(try await spans(0) == both, "keys of the first values")
        expect(
            try await spans(ids[5]) == [KeySpan(key: new, first: ids[6], last: ids[7], count: 2)],
            "keys of the last values")
        expect(try await spans(ids[7]) == [], "keys behind the last value")
        let between = try await store.read { (reading) throws(VaultError) in
            try reading.values(after: ids[1], through: ids[6], notSealedUnder: new, limit: 9).records.map(\.id)
        }
        expect(between == [ids[2], ids[3], ids[4]], "old values between two")

        var (steps, found, place) = (0, [Int64](), [UInt8]?.some([]))
        var last: [UInt8] = []
        while let position = place {
            let step = try await store.read { (reading) throws(VaultError) in
                try reading.responses(after: position, notSealedUnder: new, limit: 1)
            }
            (steps, found, place) = (steps + 1, found + step.records.map(\.keyID), step.next)
            last = step.next ?? last
        }
        expect(steps == 6 && found == [old, old, old], "responses in \(steps) steps: \(found)")

        let uses: [(key: Int64, value: Int64, response: [UInt8], isFound: Bool)] = [
            (old, ids[3], last, true), (old, ids[4], last, false), (old, ids[7], [], true), (new, ids[6], last, true),
            (new, ids[7], last, false),
        ]
        for (key, value, response, isFound) in uses {
            let has = try await store.read { (reading) throws(VaultError) in
                try reading.hasRecords(sealedUnder: key, afterValue: value, afterResponse: response)
            }
            expect(has == isFound, "records under \(key) behind \(value) and \(response)")
        }

        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position, batch: 2) }
        let left = try await spans(0)
        expect(left.map(\.key) == [new], "keys after all was sealed again")
        for (index, name) in names.enumerated() {
            expect(try await vault.response(under: name) == [index < 3 ? 1 : 2], "response \(index)")
        }
        return problems
    }
}
