import Vault

/// The steps of reading and writing on one connection, which is made when it is needed, and again after it has broken.
/// Belongs to one thread.
final class PostgresTransaction: AliasTransaction {
    /// After a connection could not be made, requests fail at once for so long, or for as long as the attempt took.
    private static let rest = Duration.seconds(1)

    private let configuration: PostgresStoreConfiguration
    private let waitLimit: PostgresWaitLimit
    private var connection: PostgresConnection?
    private var restsUntil = ContinuousClock.now
    private(set) var isWriting = false
    /// Whether each request has a savepoint of its own: others are in the transaction, which a failure of this one must not end.
    private var usesSavepoints = false
    private var hasRequest = false
    /// Ids that this session has drawn and not used. Those of a transaction that was taken back stay drawn.
    var ids: ArraySlice<Int64> = []
    /// The failure of a step since the request began.
    private(set) var failure: PostgresFailure?

    /// Takes over a connection, if there is one already.
    init(
        _ configuration: PostgresStoreConfiguration, _ waitLimit: PostgresWaitLimit,
        _ connection: PostgresConnection? = nil
    ) {
        self.configuration = configuration
        self.waitLimit = waitLimit
        self.connection = connection
    }

    // MARK: The bounds of transactions and requests

    /// Begins a transaction for a batch of requests.
    func begin(writing: Bool, savepoints: Bool) throws(PostgresFailure) {
        isWriting = writing
        usesSavepoints = savepoints && writing
        hasRequest = false
        failure = nil
        try connected().execute(opening)
    }

    /// A reader sees one state. A writer sees what is committed when it looks, and locks what it finds.
    ///
    /// Batches lock the rows of many requests, in any order, so that two may come to wait for each other. The server would notice
    /// after a second; a statement that waits for a tenth of it fails, and is repeated.
    private var opening: String {
        isWriting
            ? "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '100ms'"
            : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
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
        } catch {
            var failure = error
            failure.isUncertain = isWriting && (error.endsConnection || error.state == "40003")
            throw failure
        }
    }

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
            return try open().run(statement, values)
        } catch { throw note(error) }
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

    private func connected() throws(PostgresFailure) -> PostgresConnection {
        if let connection { return connection }
        let began = ContinuousClock.now
        guard began >= restsUntil, !waitLimit.hasEnded else { throw .unreachable }
        do {
            let new = try PostgresConnection(configuration, waitLimit)
            connection = new
            return new
        } catch {
            // As long again as it took, at least.
            let end = ContinuousClock.now
            restsUntil = end + max(Self.rest, end - began)
            throw .unreachable
        }
    }
}
