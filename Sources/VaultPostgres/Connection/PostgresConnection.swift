import CPostgres
import Crypto
import Sensitive
import Synchronization

/// One connection to the server. Belongs to one thread.
final class PostgresConnection {
    private static let loading = Mutex(())

    private let connection: OpaquePointer
    private let waitLimit: PostgresWaitLimit
    /// Whether a pooler may carry each transaction out in another session.
    let sharesSessions: Bool
    private var prepared: Set<PostgresStatement> = []

    /// Loads libpq, once.
    private static func load() throws(PostgresStoreError) {
        let failure = loading.withLock { _ in cloakroom_pq_load() }
        if let failure { throw .cannotConnect(String(cString: failure)) }
    }

    /// Defaults, which the URL beats: libpq takes what comes later.
    private static let defaults = [
        ("fallback_application_name", "cloakroom"), ("connect_timeout", "10"), ("target_session_attrs", "read-write"),
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
        ("tcp_user_timeout", "30000"),
    ]

    /// The settings of every session. A commit returns after it is synced, whatever the server's default; every wait is bounded. On a
    /// server that speaks the protocol and lacks a setting, that statement's error is ignored; any other error ends the connection.
    private static let settings = [
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        "SET statement_timeout = '20s'", "SET lock_timeout = '10s'",
        "SET idle_in_transaction_session_timeout = '60s'",
    ]

    /// Loads libpq, if that was not done yet, and connects. Throws `cannotConnect` with what libpq says of it, which names hosts and users;
    /// a password only of a URL that is not well-formed, which the configuration refuses.
    init(
        _ configuration: PostgresStoreConfiguration, _ waitLimit: PostgresWaitLimit
    ) throws(PostgresStoreError) {
        try Self.load()
        let parameters = Self.defaults.map { ($0, SensitiveText($1)) } + [("dbname", configuration.url)]
        let connection = try PostgresAttempt.connect(parameters, waitLimit)
        guard cloakroom_pq_status(connection) == CONNECTION_OK else {
            let reason = cloakroom_pq_connection_error(connection).map { String(cString: $0) } ?? ""
            cloakroom_pq_finish(connection)
            throw .cannotConnect(Self.line(reason))
        }
        self.connection = connection
        self.waitLimit = waitLimit
        sharesSessions = configuration.sharesSessions
        cloakroom_pq_be_quiet(connection)
        if sharesSessions { return }
        for setting in Self.settings {
            do throws(PostgresFailure) { try execute(setting) } catch {
                guard Self.lackingSetting.contains(error.state) else {
                    throw .cannotConnect("a setting of the session can't be made (SQLSTATE \(error.state))")
                }
            }
        }
    }

    /// No such setting, or not supported.
    private static let lackingSetting: Set = ["42704", "0A000"]

    deinit {
        cloakroom_pq_finish(connection)
    }

    /// Whether a transaction is open, failed or not.
    var isInTransaction: Bool {
        let status = cloakroom_pq_transaction_status(connection)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Runs commands without parameters; the rows of the last.
    @discardableResult
    func execute(_ commands: String) throws(PostgresFailure) -> PostgresRows {
        try rows(of: cloakroom_pq_execute(connection, commands, waitLimit.limits))
    }

    /// Runs a statement, which is prepared by its first run.
    @discardableResult
    func run(_ statement: PostgresStatement, _ values: [PostgresValue] = []) throws(PostgresFailure) -> PostgresRows {
        try prepare(statement)
        return try rows(
            of: Self.withParameters(values) { pointers, lengths in
                withStatement(statement) {
                    cloakroom_pq_run(
                        connection, $0, Int32(clamping: values.count), pointers, lengths, waitLimit.limits)
                }
            })
    }

    /// Sends all commands at once and returns what each came to. After one that fails the server skips the rest, and this throws the
    /// failure: what the others did is undone with the transaction that they are part of.
    func exchange(_ commands: [PostgresCommand]) throws(PostgresFailure) -> [PostgresRows] {
        do throws(PostgresFailure) {
            for command in commands { try prepare(command.statement) }
            guard cloakroom_pq_enter_pipeline(connection) == 1 else { throw .lost }
        } catch {
            var error = error
            error.precedesLast = true
            throw error
        }
        for command in commands {
            let isSent = Self.withParameters(command.values) { pointers, lengths in
                withStatement(command.statement) {
                    cloakroom_pq_send(connection, $0, Int32(clamping: command.values.count), pointers, lengths)
                }
            }
            guard isSent == 1 else { throw .lost }
        }
        guard cloakroom_pq_sync(connection) == 1 else { throw .lost }
        let results = try results(of: commands.count)
        guard cloakroom_pq_exit_pipeline(connection) == 1, results.count == commands.count else { throw .lost }
        return results
    }

    /// The results of so many commands, up to the sync. Throws the first failure, once all have been read.
    private func results(of count: Int) throws(PostgresFailure) -> [PostgresRows] {
        var results: [PostgresRows] = []
        var failure: PostgresFailure?
        var lost = PostgresFailure.lost
        while true {
            guard let result = cloakroom_pq_next_result(connection, waitLimit.limits) else { throw lost }
            switch cloakroom_pq_result_status(result) {
            case PGRES_PIPELINE_SYNC:
                cloakroom_pq_clear(result)
                guard let failure else { return results }
                guard cloakroom_pq_exit_pipeline(connection) == 1 else { throw lost }
                throw failure
            case PGRES_PIPELINE_ABORTED: cloakroom_pq_clear(result)
            default:
                do throws(PostgresFailure) { results.append(try rows(of: result)) } catch {
                    // The server skips what comes behind a command that it has refused.
                    if error.isRefusal, results.count < count - 1 { lost.precedesLast = true }
                    var error = error
                    error.precedesLast = lost.precedesLast
                    if error.endsConnection { throw error }
                    failure = failure ?? error
                }
            }
        }
    }

    private func prepare(_ statement: PostgresStatement) throws(PostgresFailure) {
        guard !sharesSessions, !prepared.contains(statement) else { return }
        _ = try rows(of: cloakroom_pq_prepare(connection, statement.rawValue, statement.text, waitLimit.limits))
        prepared.insert(statement)
    }

    /// A pooler that hands out sessions by the transaction may give the next one to another session, which has other statements
    /// prepared: there each is sent as text.
    private func withStatement<Result>(
        _ statement: PostgresStatement, _ body: (cloakroom_pq_statement) -> Result
    ) -> Result {
        (sharesSessions ? statement.text : statement.rawValue).withCString { text in
            body(cloakroom_pq_statement(name: sharesSessions ? nil : text, text: sharesSessions ? text : nil))
        }
    }

    /// The parameters as libpq takes them. The pointers are valid within the call alone: libpq sends, or copies, what it needs.
    private static func withParameters<Result>(
        _ values: [PostgresValue], _ body: ([UnsafePointer<CChar>?], [Int32]) -> Result
    ) -> Result {
        var bytes: [UInt8] = []
        var places: [(offset: Int, count: Int)?] = []
        for value in values {
            let offset = bytes.count
            switch value {
            case .integer(let number): bytes.append(bigEndian: number)
            case .bytes(let content): bytes.append(contentsOf: content)
            case .null:
                places.append(nil)
                continue
            }
            places.append((offset, bytes.count - offset))
        }
        // An empty value needs a place in memory, too: no pointer means NULL.
        bytes.append(0)
        // Sound: each place is within `bytes`, which lives until `body` returns.
        return bytes.withUnsafeBytes { memory in
            let pointers = places.map { place in
                place.flatMap { memory.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: CChar.self) }
            }
            return body(pointers, places.map { Int32(clamping: $0?.count ?? 0) })
        }
    }

    private func rows(of result: OpaquePointer?) throws(PostgresFailure) -> PostgresRows {
        guard let result else { throw .lost }
        let status = cloakroom_pq_result_status(result)
        if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return PostgresRows(result) }
        defer { cloakroom_pq_clear(result) }
        let state = cloakroom_pq_state(result).map { String(cString: $0) } ?? ""
        var failure = PostgresFailure(
            state: state,
            // A message that ends the session may come from a proxy, in place of results that it has lost.
            endsConnection: cloakroom_pq_is_error(result) == 0 || state.isEmpty
                || cloakroom_pq_status(connection) != CONNECTION_OK)
        let constraint = cloakroom_pq_constraint(result).map { String(cString: $0) }
        failure.isTakenID = state == "23505" && constraint == "cloakroom_value_pkey"
        throw failure
    }

    /// One line of what may be several.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}
