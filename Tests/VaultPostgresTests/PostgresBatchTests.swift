import Glibc
import PostgresTesting
import Sensitive
import Synchronization
import Testing
import VaultTesting

@testable import Vault
@testable import VaultPostgres

/// Several requests in one transaction of the shared store, and what a cut connection makes of it.
@Suite("Batches of the shared store") struct PostgresBatchTests {
    private final class Outcomes: Sendable {
        private let content = Mutex<[String: VaultError?]>([:])

        func record(_ name: String, _ failure: VaultError?) { content.withLock { $0[name] = .some(failure) } }

        var all: [String: VaultError?] { content.withLock { $0 } }
    }

    private typealias Work = @Sendable (PostgresTransaction) -> Bool

    private func session(_ url: String) -> PostgresTransaction {
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        return PostgresTransaction(
            configuration, PostgresWaitLimit(configuration.responseTimeout), PostgresContact())
    }

    /// - Parameter isDrafted: whether the batch may be carried out as drafts.
    private func run(
        _ transaction: PostgresTransaction, isWriting: Bool = true, isDrafted: Bool = true,
        timeout: Duration = .seconds(20), wait: UInt32 = 0, _ jobs: [(name: String, work: Work)]
    ) -> [String: VaultError?] {
        let outcomes = Outcomes()
        if !isDrafted { transaction.restFromDrafts() }
        let batch = jobs.map { job in
            Job<PostgresTransaction>(run: job.work, finish: { outcomes.record(job.name, $0) })
        }
        usleep(wait)
        PostgresBatch(
            transaction: transaction, isWriting: isWriting, figures: StoreFigures(), mailbox: Mailbox(limit: 8),
            timeout: timeout
        ).run(batch)
        return outcomes.all
    }

    private func row(_ name: String) -> ResponseRecord {
        ResponseRecord(name: Array(name.utf8), keyID: 2, sealed: Array("sealed".utf8), expiresAt: 9_000_000_000)
    }

    private func names(_ url: String) throws -> String {
        try PostgresServer.shared().query(
            "SELECT string_agg(convert_from(name, 'UTF8'), ' ' ORDER BY name) FROM cloakroom_answer", in: url)
    }

    /// A database with an empty vault.
    private func vault() async throws -> String {
        let url = try PostgresServer.shared().database()
        let store = try store(url)
        _ = try await openVault(store)
        store.close()
        return url
    }

    @Test(arguments: [true, false]) func aRefusedRequestLeavesNothing(isDrafted: Bool) async throws {
        let url = try await vault()
        let rows = ["first", "last", "refused"].map(row)
        let outcomes = run(
            session(url), isDrafted: isDrafted,
            [
                ("first", { (try? $0.insert(rows[0])) == true }),
                (
                    "refused",
                    { transaction in
                        _ = try? transaction.insert(rows[2])
                        return false
                    }
                ), ("last", { (try? $0.insert(rows[1])) == true }),
            ])
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 == nil })
        #expect(try names(url) == "first last\n")
    }

    /// As many look-ups as a reveal may have are exchanges of a batch, not a round trip each; those that would be too many rows at a time
    /// come in the next transaction.
    @Test func manyLookUpsAreFewExchanges() async throws {
        let url = try await vault()
        let rows = ["known", "other"].map(row)
        #expect(run(session(url), rows.map { row in ("add", { (try? $0.insert(row)) == true }) })["add"] == .some(nil))
        let (found, stepByStep) = (Gathering<[String: Int]>([:]), Runs())
        let jobs = ["first", "second", "third"].map { name in
            (
                name,
                { transaction in
                    if transaction.draft == nil { stepByStep.add() }
                    let names = (0..<4_094).map { Array("\(name) \($0)".utf8) } + rows.map(\.name)
                    let responses = names.compactMap { try? transaction.response($0) }
                    found.add { $0[name] = responses.count }
                    return false
                }
            ) as (name: String, work: Work)
        }
        let outcomes = run(session(url), isWriting: false, jobs)
        #expect(outcomes.count == 3 && outcomes.values.allSatisfy { $0 == nil })
        #expect(found.value == ["first": 2, "second": 2, "third": 2] && stepByStep.count == 0)
    }

    /// What the caller has given up is not carried out.
    @Test func aLateRequestIsNotCarriedOut() async throws {
        let url = try await vault()
        let row = row("late")
        let runs = Runs()
        let outcomes = run(
            session(url), timeout: .milliseconds(50), wait: 200_000,
            [
                (
                    "late",
                    { transaction in
                        runs.add()
                        return (try? transaction.insert(row)) == true
                    }
                )
            ])
        #expect(outcomes["late"] == .some(.unavailable("the database took too long")))
        #expect(runs.count == 0)
        #expect(try names(url) == "\n")
    }

    /// The server ends the connection while the transaction is committed: whether it was is not known, and it is not run again.
    @Test(arguments: [true, false]) func aCutDuringTheCommitIsAnUnknownOutcome(isDrafted: Bool) async throws {
        let url = try await vault()
        let server = try PostgresServer.shared()
        // At the commit the server ends its own connection.
        try server.query(
            """
            CREATE SEQUENCE commits;
            CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM nextval('commits'); PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON cloakroom_answer DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION cut()
            """, in: url)
        let row = row("cut")
        let outcomes = run(session(url), isDrafted: isDrafted, [("cut", { (try? $0.insert(row)) == true })])
        #expect(
            outcomes["cut"] == .some(.outcomeUnknown("the connection to the database broke during the commit")))
        // A sequence keeps its number whatever becomes of the transaction.
        #expect(try server.query("SELECT last_value FROM commits", in: url) == "1\n")
    }

    /// What the server refuses before it comes to the commit was not stored, also where the connection is of no more use. What says nothing
    /// of the commands may come from a pooler, when they were carried out.
    @Test(arguments: [("25006", true), ("57P01", false), ("08006", false), ("40003", false)])
    func aRefusalBeforeTheCommitIsCertain(state: String, isCertain: Bool) async throws {
        let url = try await vault()
        try PostgresServer.shared().query(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(state)'; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON cloakroom_answer FOR EACH ROW EXECUTE FUNCTION refuse()
            """, in: url)
        let row = row("refused")
        let outcomes = run(session(url), [("refused", { (try? $0.insert(row)) == true })])
        #expect(
            outcomes["refused"]
                == .some(
                    isCertain
                        ? .unavailable("the database is read-only")
                        : .outcomeUnknown("the connection to the database broke during the commit")))
        #expect(try names(url) == "\n")
    }

    /// A connection that is cut before the last commands are sent leaves nothing open: they are sent on another one.
    @Test func aCutBeforeTheCommitIsCertain() async throws {
        let url = try await vault()
        let server = try PostgresServer.shared()
        let rows = ["there", "new"].map(row)
        #expect(run(session(url), [("there", { (try? $0.insert(rows[0])) == true })])["there"] == .some(nil))
        let runs = Runs()
        // A connection on which the changes were not prepared yet: that is what fails.
        let outcomes = run(
            session(url),
            [
                (
                    "new",
                    { transaction in
                        _ = try? transaction.response(rows[0].name)
                        runs.add()
                        // It is run again with what was looked up; the changes are to be sent next.
                        if runs.count == 2 {
                            _ = try? server.query(
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                                    + "WHERE datname = current_database() AND pid <> pg_backend_pid()", in: url)
                        }
                        return (try? transaction.insert(rows[1])) == true
                    }
                )
            ])
        #expect(outcomes["new"] == .some(nil) && runs.count == 3)
        #expect(try names(url) == "new there\n")
    }

    /// The next batch begins with nothing of one that failed.
    @Test(arguments: [true, false]) func aFailedBatchIsRolledBack(isDrafted: Bool) async throws {
        let url = try await vault()
        try PostgresServer.shared().query(
            "ALTER TABLE cloakroom_answer ADD CHECK (length(name) < 10)", in: url)
        let session = session(url)
        let rows = ["much too long a name", "other", "next"].map(row)
        let outcomes = run(
            session, isDrafted: isDrafted,
            [
                (
                    "refused",
                    { transaction in
                        guard (try? transaction.insert(rows[1])) == true else { return false }
                        return (try? transaction.insert(rows[0])) == true
                    }
                )
            ])
        #expect(outcomes["refused"] == .some(.unavailable("the database failed (SQLSTATE 23514)")))
        let after = run(session, isDrafted: isDrafted, [("next", { (try? $0.insert(rows[2])) == true })])
        #expect(after["next"] == .some(nil))
        #expect(try names(url) == "next\n")
    }

    /// A transaction that was ended for the sake of others is run again.
    @Test(arguments: ["40P01", "40001"], [true, false])
    func whatGaveWayToOthersIsRunAgain(state: String, isDrafted: Bool) async throws {
        let url = try await vault()
        try PostgresServer.shared().query(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') = 1 THEN RAISE EXCEPTION USING ERRCODE = '\(state)'; END IF; RETURN NEW; END $$;
            CREATE TRIGGER give_way BEFORE INSERT ON cloakroom_answer FOR EACH ROW EXECUTE FUNCTION give_way()
            """, in: url)
        let rows = ["first", "second"].map(row)
        let outcomes = run(
            session(url), isDrafted: isDrafted,
            rows.map { row in (String(decoding: row.name, as: UTF8.self), { (try? $0.insert(row)) == true }) })
        #expect(outcomes.count == 2 && outcomes.values.allSatisfy { $0 == nil })
        #expect(try names(url) == "first second\n")
    }

    /// What one of several reads cannot have is nothing to the others.
    @Test(arguments: [true, false]) func aReadThatFailsFailsAlone(isDrafted: Bool) async throws {
        let url = try await vault()
        let rows = ["one", "broken", "other"].map(row)
        let made = run(
            session(url), [("insert", { transaction in rows.allSatisfy { (try? transaction.insert($0)) == true } })])
        #expect(made["insert"] == .some(nil))
        try PostgresServer.shared().query(
            """
            ALTER TABLE cloakroom_answer RENAME TO answer;
            CREATE VIEW cloakroom_answer AS SELECT name, sealed, expires_at,
                key / CASE WHEN name = 'broken' THEN 0 ELSE 1 END AS key FROM answer
            """, in: url)
        let outcomes = run(
            session(url), isWriting: false, isDrafted: isDrafted,
            rows.map { row in
                (String(decoding: row.name, as: UTF8.self), { (try? $0.response(row.name))??.sealed == row.sealed })
            })
        let failure = VaultError.unavailable("the database failed (SQLSTATE 22012)")
        #expect(outcomes == ["one": nil, "broken": failure, "other": nil])
    }

    private final class Runs: Sendable {
        private let value = Atomic(0)

        func add() { value.add(1, ordering: .relaxed) }

        var count: Int { value.load(ordering: .relaxed) }
    }

    /// A transaction that the server has ended by itself is rolled back by COMMIT, without an error.
    @Test func aCommitThatRollsBackIsNone() async throws {
        let url = try await vault()
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        let transaction = PostgresTransaction(
            configuration, PostgresWaitLimit(configuration.responseTimeout), PostgresContact())
        try transaction.begin(writing: true, savepoints: false)
        #expect(throws: VaultError.self) {
            try transaction.run(.deleteThisResponse, [.bytes([]), .bytes([]), .bytes([])])
        }
        #expect(throws: PostgresFailure.self) { try transaction.commit() }
        transaction.rollback()
    }

    /// All that one request reads is of one state.
    @Test func aReaderReadsOneState() async throws {
        let url = try await vault()
        let server = try PostgresServer.shared()
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        let reader = PostgresTransaction(
            configuration, PostgresWaitLimit(configuration.responseTimeout), PostgresContact())
        try reader.begin(writing: false, savepoints: false)
        #expect(try reader.response(Array("new".utf8)) == nil)
        try server.query("INSERT INTO cloakroom_answer VALUES ('new', 2, 'x', 9000000000)", in: url)
        #expect(try reader.response(Array("new".utf8)) == nil)
        try reader.commit()
        try reader.begin(writing: false, savepoints: false)
        #expect(try reader.response(Array("new".utf8)) != nil)
        reader.rollback()
    }

    /// A role with `synchronous_commit` off does not make acknowledged rows volatile.
    @Test func commitsAreSynchronousWhateverTheRoleSays() async throws {
        let url = try await vault()
        try PostgresServer.shared().query(
            "DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = off'; END $$",
            in: url)
        var configuration = PostgresStoreConfiguration(url: SensitiveText(url))
        configuration.responseTimeout = .seconds(20)
        let connection = try PostgresConnection(configuration, PostgresWaitLimit(configuration.responseTimeout))
        for (name, value) in [("synchronous_commit", "on"), ("statement_timeout", "20s"), ("lock_timeout", "10s")] {
            #expect(try connection.execute("SHOW \(name)").text(0, 0) == value)
        }
    }

    /// A server that refuses is not asked again at once: its own log has the attempts, at most one a second.
    @Test func aFailedConnectionIsFollowedByAPause() throws {
        let server = try PostgresServer.shared()
        let missing = "missing_after_a_failure"
        let place = try server.database().split(separator: "/").dropLast().joined(separator: "//")
        let transaction = session("\(place)/\(missing)")
        let began = ContinuousClock.now
        for _ in 0..<20 {
            #expect(throws: PostgresFailure.self) { try transaction.begin(writing: true, savepoints: false) }
        }
        let seconds = (ContinuousClock.now - began).components.seconds
        let attempts = server.log.split(separator: "\n").count { $0.contains(missing) }
        #expect(attempts >= 1 && attempts <= 1 + seconds)
    }
}
