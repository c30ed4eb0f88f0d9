import Vault

/// The steps of reading and writing on one connection, which is made when it is needed, and again after it has broken.
/// Belongs to one thread.
final class PostgresTransaction: AliasTransaction {
    private let configuration: PostgresStoreConfiguration
    private let waitLimit: PostgresWaitLimit
    private var rest: PostgresRest
    private var connection: PostgresConnection? {
        didSet {
            guard (oldValue == nil) != (connection == nil) else { return }
            rest.contact.note(connected: connection != nil, writing: rest.isWriter)
        }
    }
    private(set) var isWriting = false
    /// Whether each request has a savepoint of its own: others are in the transaction, which a failure of this one must not end.
    private var usesSavepoints = false
    private var hasRequest = false
    /// Ids that this session has drawn and not used. Those of a transaction that was taken back stay drawn. They are given up with the
    /// session, and once one of them turns out to be taken: a server that took another's place may know nothing of them.
    var ids: ArraySlice<Int64> = []
    private var batchesStepByStep = 0
    /// Where the steps of a request are noted instead of carried out.
    private(set) var draft: PostgresDraft?
    /// The failure of a step since the request began.
    private(set) var failure: PostgresFailure?

    /// Takes over a connection, if there is one already.
    ///
    /// - Parameter writing: whether it is that of a thread that writes.
    init(
        _ configuration: PostgresStoreConfiguration, _ waitLimit: PostgresWaitLimit, _ contact: PostgresContact,
        writing: Bool = false, _ connection: PostgresConnection? = nil
    ) {
        self.configuration = configuration
        self.waitLimit = waitLimit
        rest = PostgresRest(contact, writing: writing)
        self.connection = connection
        if connection != nil { contact.note(connected: true, writing: writing) }
    }

    // MARK: The bounds of transactions and requests

    /// Begins a transaction for a batch of requests.
    func begin(writing: Bool, savepoints: Bool) throws(PostgresFailure) {
        isWriting = writing
        usesSavepoints = savepoints && writing
        hasRequest = false
        failure = nil
        let connection = try connected()
        for statement in opening { try connection.run(statement) }
    }

    private var opening: [PostgresStatement] {
        if !isWriting { return [.beginReading] }
        // What is otherwise set for a session.
        let own: [PostgresStatement] = configuration.sharesSessions ? [.boundStatements, .syncCommit] : []
        return [.beginWriting, .boundLockWaits] + own
    }

    /// A draft was wrong: others store the same, or a narrow space of aliases is filling up. The next batches are carried out step by
    /// step, rather than twice.
    func restFromDrafts() { batchesStepByStep = 3 }

    /// Whether the next batch may be drafted.
    func mayDraft() -> Bool {
        guard batchesStepByStep > 0 else { return true }
        batchesStepByStep -= 1
        return false
    }

    /// Makes sure that there is a connection, for drafts of requests.
    func prepareDrafts(writing: Bool) throws(PostgresFailure) {
        isWriting = writing
        failure = nil
        _ = try connected()
    }

    /// Runs `work` on a draft: its steps are not carried out, but foreseen or looked up in what is known.
    func foresee<Result>(_ draft: PostgresDraft, _ work: (PostgresTransaction) -> Result) -> Result {
        // Nothing was done with what an earlier run had drawn.
        ids = (draft.begin() + ids)[...]
        failure = nil
        self.draft = draft
        defer {
            self.draft = nil
            if draft.needsServer { failure = nil }
        }
        return work(self)
    }

    /// Carries commands out in one exchange, in a transaction that is begun or ended by it if so asked.
    func exchange(
        _ commands: [PostgresCommand], beginning: Bool, ending: Bool
    ) throws(PostgresFailure) -> [PostgresRows] {
        let first = beginning ? opening.map { PostgresCommand(statement: $0) } : []
        let last = ending ? [PostgresCommand(statement: .commit)] : []
        let groups = PostgresGroups(commands)
        do throws(PostgresFailure) {
            let results = try open().exchange(first + groups.commands + last)
            // A transaction that had failed is rolled back by this, without an error.
            guard !ending || results.last?.command == "COMMIT" else { throw PostgresFailure.overtaken }
            return try groups.results(Array(results.dropFirst(first.count).dropLast(last.count)))
        } catch {
            if error.isTakenID { ids = [] }
            throw ending ? uncertain(error) : error
        }
    }

    /// Begins one request of the batch. What the one before it did is kept.
    func beginRequest() throws(PostgresFailure) {
        failure = nil
        guard usesSavepoints else { return }
        try open().execute(hasRequest ? "RELEASE request; SAVEPOINT request" : "SAVEPOINT request")
        hasRequest = true
    }

    /// Takes back what the request did; the others are not touched.
    func takeBackRequest() throws(PostgresFailure) {
        guard usesSavepoints else { return }
        try open().execute("ROLLBACK TO request")
    }

    /// Makes everything durable. If the connection breaks meanwhile, the outcome is unknown.
    func commit() throws(PostgresFailure) {
        do throws(PostgresFailure) {
            // A transaction that had failed is rolled back by this, without an error.
            guard try open().execute("COMMIT").command == "COMMIT" else { throw PostgresFailure.overtaken }
        } catch { throw uncertain(error) }
    }

    /// What the server has refused before it came to the COMMIT is certain, however little use the connection is of afterwards.
    private func uncertain(_ failure: PostgresFailure) -> PostgresFailure {
        var failure = failure
        let isBroken = failure.endsConnection || failure.state == "40003"
        failure.isUncertain = isWriting && isBroken && !failure.precedesLast
        return failure
    }

    /// Whether there is a connection, as far as is known.
    var isConnected: Bool { connection != nil }

    /// Gives everything up; the connection too, if it is of no more use.
    func rollback(after failure: PostgresFailure) {
        if failure.endsConnection { connection = nil }
        rollback()
    }

    /// Gives everything up.
    func rollback() {
        guard let open = connection, open.isInTransaction else { return }
        if (try? open.execute("ROLLBACK")) == nil { connection = nil }
    }

    // MARK: Steps

    /// Runs a statement; its failure is kept for the batch.
    @discardableResult
    func run(_ statement: PostgresStatement, _ values: [PostgresValue] = []) throws(VaultError) -> PostgresRows {
        do throws(PostgresFailure) {
            // After a failure the server accepts nothing more until the request is taken back.
            if let failure { throw failure }
            if let draft, statement != .nextIDs, statement != .passIDs { return try draft.step(statement, values) }
            return try open().run(statement, values)
        } catch {
            if error.isTakenID { ids = [] }
            throw note(error)
        }
    }

    /// Keeps the failure for the batch.
    func note(_ failure: PostgresFailure) -> VaultError {
        self.failure = failure
        return failure.vaultError
    }

    /// The connection of the transaction under way: another one knows nothing of it.
    private func open() throws(PostgresFailure) -> PostgresConnection {
        guard let connection else { throw .lost }
        return connection
    }

    // MARK: The connection

    /// Whether there is none, and another thread of its kind has one: requests are left to that one.
    var leavesRequests: Bool { connection == nil && rest.contact.hasConnection(writing: rest.isWriter) }

    /// Whether the process is about to end.
    var endsSoon: Bool { waitLimit.endsSoon }

    /// How long one response of the server may take.
    var longestWait: Duration { waitLimit.longest }

    /// Makes the connection. If that can't be done, waits until it may be tried again, or until no other thread of its kind has one.
    func connectOrWait() { if (try? connected()) == nil { rest.wait() } }

    /// Whether the connection is to be given up for a thread of the other kind, which has none.
    var isAskedForConnection: Bool { connection != nil && rest.contact.isAskedForOne(writing: rest.isWriter) }

    /// Closes the connection.
    func giveConnectionUp() {
        connection = nil
        rest.contact.noteGivenUp()
    }

    private func connected() throws(PostgresFailure) -> PostgresConnection {
        if let connection { return connection }
        let began = ContinuousClock.now
        guard rest.isOver(at: began), !waitLimit.hasEnded, rest.contact.mayConnect(writing: rest.isWriter) else {
            throw .unreachable
        }
        do throws(PostgresStoreError) {
            let new = try PostgresConnection(configuration, waitLimit)
            rest.noteSuccess()
            connection = new
            ids = []
            return new
        } catch {
            rest.noteFailure(since: began)
            rest.contact.noteRefusal(writing: rest.isWriter)
            if case .cannotConnect(let reason) = error, rest.contact.isNews(reason) {
                configuration.reportRefusal(reason)
            }
            throw .unreachable
        }
    }
}
