import CPostgres
import Sensitive
import Synchronization

/// One connection to the server. Belongs to one thread.
final class PostgresConnection {
    private static let loading = Mutex(())

    private let connection: OpaquePointer
    private let waitLimit: PostgresWaitLimit
    private var prepared: Set<PostgresStatement> = []

    /// Loads libpq, once.
    static func load() throws(PostgresStoreError) {
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
    /// server that speaks the protocol and lacks a setting, the statement fails and is ignored.
    private static let settings = [
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
        "SET statement_timeout = '20s'", "SET lock_timeout = '10s'",
        "SET idle_in_transaction_session_timeout = '60s'",
    ]

    /// Connects. `load()` must have succeeded. Throws `cannotConnect` with what libpq says of it, which names hosts and users;
    /// a password only of a URL that is not well-formed, which the configuration refuses.
    init(
        _ configuration: PostgresStoreConfiguration, _ waitLimit: PostgresWaitLimit
    ) throws(PostgresStoreError) {
        let parameters = Self.defaults + [("dbname", configuration.url.exposed)]
        let connected = Self.withCStrings(parameters.map(\.0)) { keywords in
            Self.withCStrings(parameters.map(\.1)) { cloakroom_pq_connect(keywords, $0) }
        }
        guard let connection = connected else { throw .cannotConnect("out of memory") }
        guard cloakroom_pq_status(connection) == CONNECTION_OK else {
            let reason = cloakroom_pq_connection_error(connection).map { String(cString: $0) } ?? ""
            cloakroom_pq_finish(connection)
            throw .cannotConnect(Self.line(reason))
        }
        self.connection = connection
        self.waitLimit = waitLimit
        cloakroom_pq_be_quiet(connection)
        for setting in Self.settings { _ = try? execute(setting) }
    }

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
        if !prepared.contains(statement) {
            _ = try rows(of: cloakroom_pq_prepare(connection, statement.rawValue, statement.text, waitLimit.limits))
            prepared.insert(statement)
        }
        var bytes: [UInt8] = []
        var places: [(offset: Int, count: Int)?] = []
        for value in values {
            let offset = bytes.count
            switch value {
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case .bytes(let content): bytes.append(contentsOf: content)
            case .null:
                places.append(nil)
                continue
            }
            places.append((offset, bytes.count - offset))
        }
        // An empty value needs a place in memory, too: no pointer means NULL.
        bytes.append(0)
        // The pointers are used within the call alone: libpq sends, or copies, what it needs.
        let result = bytes.withUnsafeBytes { memory in
            let pointers = places.map { place in
                place.flatMap { memory.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = places.map { Int32(clamping: $0?.count ?? 0) }
            return cloakroom_pq_execute_prepared(
                connection, statement.rawValue, Int32(clamping: values.count), pointers, lengths, waitLimit.limits)
        }
        return try rows(of: result)
    }

    private func rows(of result: OpaquePointer?) throws(PostgresFailure) -> PostgresRows {
        guard let result else { throw .lost }
        let status = cloakroom_pq_result_status(result)
        if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return PostgresRows(result) }
        defer { cloakroom_pq_clear(result) }
        let state = cloakroom_pq_state(result).map { String(cString: $0) } ?? ""
        throw PostgresFailure(
            state: state, endsConnection: state.isEmpty || cloakroom_pq_status(connection) != CONNECTION_OK)
    }

    /// A list of C strings that ends in NULL, for the time of the call.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
        return bytes.withUnsafeBufferPointer { memory in
            let pointers = offsets.map { offset in memory.baseAddress.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }

    /// One line of what may be several.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }
}
