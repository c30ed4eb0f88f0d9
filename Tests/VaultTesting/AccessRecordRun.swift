public import Vault

/// What every store must do with rows about callers.
public struct AccessRecordRun {
    private let vaults: [Vault]

    /// - Parameter vaults: of one store, or of several processes of a shared one.
    public init(_ vaults: [Vault]) { self.vaults = vaults }

    private static let later: Int64 = 4_000_000_000
    private static let name = [UInt8](repeating: 7, count: 32)

    /// What was wrong, if anything was. The store must be empty.
    public func problem() async throws -> String? {
        if let problem = try await uses() { return problem }
        if let problem = try await additions() { return problem }
        return try await erasure()
    }

    /// One use of a session of which thirty are allowed.
    public static func use(_ vault: Vault, of limit: UInt8 = 30) async throws -> Bool {
        try await vault.changeAccessRecord(.uses, name, forgottenAt: later) { old in
            let count = old?.first ?? 0
            return count < limit ? [count + 1] : nil
        }
    }

    private func uses() async throws -> String? {
        let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                let vault = vaults[index % vaults.count]
                group.addTask { try await Self.use(vault) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        if allowed != 30 { return "\(allowed) uses of 30 were allowed" }
        let rows = try await vaults[0].accessRecords(.uses, since: nil).records
        return rows.map(\.content) == [[30]] ? nil : "uses are \(rows.map(\.content))"
    }

    private func additions() async throws -> String? {
        let last = vaults[vaults.count - 1]
        let before = try await last.accessRecords(.ending, since: nil)
        if !before.records.isEmpty { return "an ending was read" }
        let ending = AccessRecord(.ending, name: [1], content: Array("shop".utf8), forgottenAt: Self.later)
        try await vaults[0].addAccessRecords([ending])
        if try await last.accessRecords(.ending, since: nil).records != [ending] { return "an ending was not read" }
        let again = AccessRecord(.ending, name: [1], content: [], forgottenAt: 5)
        let guess = AccessRecord(.guess, name: [1], forgottenAt: Self.later)
        try await last.addAccessRecords([again, guess, guess])
        let next = try await vaults[0].accessRecords(.ending, since: before.readAt)
        if next.records != [ending] { return "read since \(before.readAt): \(next.records)" }
        if let problem = try await overlap() { return problem }
        return try await last.accessRecords(.guess, since: nil).records == [guess] ? nil : "a guess was not read"
    }

    /// A reading looks back over the overlap, also after the clock was set back an hour. Where the machine stood still for that long
    /// between the addition and the readings, another row is added.
    private func overlap() async throws -> String? {
        for number in UInt8(0)..<10 {
            let began = ContinuousClock.now
            let use = AccessRecord(.uses, name: [8, number], content: [1], forgottenAt: Self.later)
            try await vaults[0].addAccessRecords([use])
            let all = try await vaults[0].accessRecords(.uses, since: nil)
            var missed: Int64?
            for since in [all.readAt, all.readAt + 3_600_000] where missed == nil {
                let next = try await vaults[0].accessRecords(.uses, since: since).records
                if !next.allSatisfy(all.records.contains) { return "read since \(since): \(next)" }
                if !next.contains(use) { missed = since }
            }
            guard let missed else { return nil }
            if ContinuousClock.now - began < .milliseconds(AccessReading.overlap - 2_000) {
                return "not read since \(missed)"
            }
        }
        return "the machine stands still"
    }

    private func erasure() async throws -> String? {
        let old = (0..<1_500).map { number in
            AccessRecord(.guess, name: [2, UInt8(number / 256), UInt8(number % 256)], forgottenAt: 1_000_000_000)
        }
        try await vaults[0].addAccessRecords(old)
        for vault in vaults { try await vault.sweepAccessRecords() }
        let left = try await vaults[0].accessRecords(.guess, since: nil).records.count
        if left != 1 { return "\(left) guesses are left" }
        return try await vaults[0].accessRecords(.ending, since: nil).records.count == 1 ? nil : "an ending was erased"
    }
}
