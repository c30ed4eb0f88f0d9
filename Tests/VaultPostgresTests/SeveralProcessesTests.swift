import PostgresTesting
import Sensitive
import Testing
import Vault
import VaultPostgres
import VaultTesting

/// Vaults that share a database, each as a process of its own would open it.
@Suite("Several processes, one database")
struct SeveralProcessesTests {
    @Test func allMakeTheSameVault() async throws {
        let url = try PostgresServer.shared().database()
        let aliases = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    let store = try store(url)
                    let alias = try await openVault(store).alias(.new("4111111111111111"))
                    store.close()
                    return alias
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(aliases.count == 1)
        #expect(try count("cloakroom_vault", url) == 1)
        #expect(try count("cloakroom_key", url) == 6)
    }

    /// Equal values get equal aliases, whoever comes first; and nobody is refused for having come second.
    @Test func writersAgree() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        let made = Gathering<[String: Set<String>]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<24 {
                group.addTask {
                    var random = SeededGenerator(state: UInt64(task))
                    for _ in 0..<40 {
                        let values = (0..<3).map { _ in "value \(Int.random(in: 0..<50, using: &random))" }
                        let format = Bool.random(using: &random) ? AliasFormat.uuid : .rawUUID
                        let stored = try await vaults[task % 2].create(
                            values.map { .new($0, format, ["c\(task % 3)"]) })
                        made.add { made in
                            for (value, answer) in zip(values, stored) {
                                made["\(format) \(value)", default: []].insert(answer.aliases[0].alias)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (value, aliases) in made.value {
            #expect(aliases.count == 1, "\(value)")
            for alias in aliases { #expect(await vaults[1].value(alias).map { value.hasSuffix(" \($0)") } == true) }
        }
        #expect(try count("cloakroom_value", url) == 50)
        #expect(
            try await vaults[0].reveal(Array(made.value["uuid value 7"] ?? made.value["rawUUID value 7"] ?? []))[0]
                .stored.classifiers.sorted() == ["c0", "c1", "c2"])
        for store in stores { store.close() }
    }

    /// Through a pooler that gives each transaction to another session.
    @Test func behindAPooler() async throws {
        let url = try PostgresServer.shared().database()
        let pooler = try Pooler(before: url)
        defer { pooler.remove() }
        let stores = try (0..<2).map { _ in try store(pooler.url(of: url)) { $0.sharesSessions = true } }
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<10 {
                        let alias = try await vaults[task % 2].alias(.new("value \(number)", .uuid, ["c\(task)"]))
                        #expect(await vaults[(task + 1) % 2].value(alias) == "value \(number)")
                        let own = try await vaults[task % 2].alias(.new("own \(task) \(number)"))
                        try await vaults[task % 2].delete([own])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try count("cloakroom_value", url) == 10)
        for store in stores {
            #expect(store.failure == nil)
            store.close()
        }
    }

    /// Two requests with the same new values in opposite orders take their locks in one: neither waits for one that waits for it.
    @Test func oppositeOrders() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        for round in 0..<30 {
            let items = (0..<12).map { VaultItem.new("value \(round) \($0)") }
            async let first = vaults[0].create(items)
            async let second = vaults[1].create(items.reversed())
            let (one, other) = (try await first, try await second)
            #expect(one.map { $0.aliases[0] } == other.reversed().map { $0.aliases[0] })
        }
        let places = try await stores[0].read { (reading) throws(VaultError) in
            try reading.values(after: 0, notSealedUnder: 0, limit: 1_000).records.map { $0.fingerprint?.bytes ?? [] }
        }
        for start in stride(from: 0, to: places.count, by: 12) {
            let codes = places[start..<min(start + 12, places.count)]
            #expect(codes.elementsEqual(codes.sorted { $0.lexicographicallyPrecedes($1) }))
        }
        for store in stores { store.close() }
    }

    /// A value goes with its last alias, and none stays without a value, whatever others do meanwhile.
    @Test func deletionsAndCreationsOfTheSame() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var random = SeededGenerator(state: UInt64(100 + task))
                    let vault = vaults[task % 2]
                    for _ in 0..<60 {
                        let value = "value \(Int.random(in: 0..<5, using: &random))"
                        let format = [AliasFormat.uuid, .rawUUID].randomElement(using: &random) ?? .uuid
                        let alias = try await vault.alias(.new(value, format))
                        // Others delete it, too.
                        if Bool.random(using: &random) { _ = try? await vault.delete([alias]) }
                        if let found = await vault.value(alias) { #expect(found == value) }
                        try? await vault.replaceClassifiers(of: alias, with: ["\(task)"])
                    }
                }
            }
            try await group.waitForAll()
        }
        let server = try PostgresServer.shared()
        let orphans =
            "SELECT count(*) FROM cloakroom_alias a LEFT JOIN cloakroom_value v ON v.id = a.value WHERE v.id IS NULL"
        let bare =
            "SELECT count(*) FROM cloakroom_value v LEFT JOIN cloakroom_alias a ON a.value = v.id WHERE a.value IS NULL"
        let twice = "SELECT count(*) FROM (SELECT 1 FROM cloakroom_alias GROUP BY value, format HAVING count(*) > 1) t"
        for query in [orphans, bare, twice] { #expect(try server.query(query, in: url) == "0\n", "\(query)") }
        for store in stores { store.close() }
    }

    /// Ids are drawn in blocks, by each session its own, and no clock is another's: neither says what was stored before.
    @Test func erasuresLeaveWhatIsStoredMeanwhile() async throws {
        for ahead in [-10, 0, 10] as [Int64] {
            let url = try PostgresServer.shared().database()
            let stores = [try store(url), try store(url)]
            let one = try await openVault(stores[0])
            let other = try await openVault(stores[1]) { $0.clock = .system.ahead(by: ahead) }
            #expect(try await OpenErasureRun(one, beside: other).faults() == [])
            #expect(try await OpenErasureRun(one, beside: other).refusesWhatWaits())
            #expect(try await OpenErasureRun(one, beside: other).lostInMixedRequests() == [])
            for store in stores { store.close() }
        }
    }

    /// One begins while another one ends: both change the list of those under way.
    @Test func erasuresOneAfterAnother() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var done = 0
                while done < 90, !Task.isCancelled {
                    for id in try await vaults[1].openErasures() {
                        if try await vaults[1].advance(erasure: id)?.finishedAt != nil { done += 1 }
                    }
                }
            }
            for task in 0..<3 {
                group.addTask {
                    for number in 0..<30 {
                        // At most 64 may be under way.
                        while try await vaults[0].openErasures().count > 40 {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        _ = try await vaults[0].beginErasure(
                            classifier: "c\(task) \(number)", storage: nil, requestID: "r", credential: "dev")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await vaults[0].openErasures() == [])
        for store in stores { store.close() }
    }

    /// A hundred account numbers end in the same four digits: both give them out, none of them twice, down to the last.
    @Test func aNarrowSpaceIsFilledTogether() async throws {
        let url = try PostgresServer.shared().database()
        let stores = [try store(url), try store(url)]
        let vaults = [try await openVault(stores[0]), try await openVault(stores[1])]
        let made = Gathering<[String]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in stride(from: 10 + task, to: 100, by: 4) {
                        let alias = try await vaults[task % 2].alias(.new("\(number)4134", .fpeAccNumTFour))
                        made.add { $0.append(alias) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(made.value).count == 90)
        #expect(try count("cloakroom_alias", url) == 90)
        for store in stores { store.close() }
    }

    private func count(_ table: String, _ url: String) throws -> Int {
        Int(try PostgresServer.shared().query("SELECT count(*) FROM \(table)", in: url).dropLast()) ?? -1
    }
}
