import Sensitive
import Synchronization

@testable public import Vault

/// Removal of rows that hold what was never written, the same for every store.
public final class DamagedRowsRun: Sendable {
    private let seconds = Mutex<Int64>(1_000_000_000)
    /// Carries out a change behind the vault's back, if there is one, and opens the store.
    private let reopen: @Sendable (_ change: String?, _ clock: VaultClock) async throws -> Vault

    public init(reopen: @escaping @Sendable (_ change: String?, _ clock: VaultClock) async throws -> Vault) {
        self.reopen = reopen
    }

    private func vault(_ change: String? = nil) async throws -> Vault {
        let seconds: @Sendable () -> Int64 = { self.seconds.withLock { $0 } }
        return try await reopen(
            change, VaultClock(unixSeconds: seconds, elapsedMilliseconds: { seconds() * 1_000 }))
    }

    /// Every alias of the first value can be deleted after this change, unread, and nothing else goes. Returns what was not so.
    public func deletion(after change: String) async throws -> [String] {
        var vault = try await vault()
        let formats: [AliasFormat] = [.uuid, .rawUUID, .genericTFour]
        var aliases: [String] = []
        for format in formats { aliases.append(try await vault.alias(.new("first value 1234", format))) }
        let other = try await vault.alias(.new("another value"))
        vault = try await self.vault(change)
        var (problems, readable) = ([String](), 0)
        for alias in aliases where await vault.value(alias) != nil { readable += 1 }
        if readable == aliases.count { problems.append("nothing is damaged") }
        for alias in aliases {
            do throws(VaultError) { try await vault.delete([alias]) } catch {
                if error != .unknownAliases([alias]) { problems.append("delete: \(error)") }
            }
        }
        for alias in aliases {
            do throws(VaultError) {
                _ = try await vault.reveal([alias])
                problems.append("an alias is still there")
            } catch { if error != .unknownAliases([alias]) { problems.append("reveal: \(error)") } }
        }
        if await vault.value(other) != "another value" { problems.append("another value went too") }
        let again = try await vault.alias(.new("first value 1234"))
        if await vault.value(again) != "first value 1234" { problems.append("it cannot be stored again") }
        if aliases.contains(again) { problems.append("a deleted alias came back") }
        return problems
    }

    /// Ten values that `change` makes the row of one impossible in, and the seal of another. Every walk over all of them ends, having done
    /// what can be done and counted the rest.
    public func walks(after change: String) async throws -> [String] {
        var vault = try await vault()
        for number in 0..<10 {
            let customer = number < 5 ? "customer-17" : "customer-18"
            _ = try await vault.create([
                .value(.init("value \(number)"), format: .uuid, classifiers: [customer], expiresAt: 1_000_000_100)
            ])
        }
        vault = try await self.vault(change)
        var problems: [String] = []
        try await vault.rotateKey()
        var cursor: Int64? = 0
        while let position = cursor { cursor = try await vault.rewrap(after: position, batch: 2) }
        let remainder = try await vault.rewrapRemainder()
        if remainder.values != 2 { problems.append("rewrap left \(remainder.values)") }
        let begun = try await vault.beginErasure(
            classifier: "customer-17", storage: nil, requestID: "r", credential: "c")
        var last = begun
        while last.finishedAt == nil {
            guard let next = try await vault.advance(erasure: begun.id) else { break }
            last = next
        }
        // The one whose seal is damaged says that it is of customer 17.
        if (last.values, last.damaged) != (4, 2) { problems.append("erased \(last.values), damaged \(last.damaged)") }
        seconds.withLock { $0 += 50 }
        let overdue = try await vault.eraseOverdue([Retention(classifier: "customer-18", keep: 40)])
        if (overdue.erased.values, overdue.erased.aliases, overdue.erased.damaged) != (5, 5, 1) {
            problems.append("retention: \(overdue)")
        }
        seconds.withLock { $0 += 60 }
        // What cannot be read stays, as its time may be what was changed; it is passed over.
        let expired = try await vault.eraseExpired(limit: 1)
        if (expired.values, expired.damaged) != (0, 1) { problems.append("expiry: \(expired)") }
        return problems
    }
}
