/// What one request would do, noted before the server is asked, so that the requests of a batch take two or three exchanges with the
/// server together and not several each.
///
/// The request's steps run on guesses: a look-up finds nothing, an alias is free. Its look-ups are then sent in one exchange with those
/// of the other requests. If they find nothing, all that it noted holds; else it runs again with what was found. Then the changes of all
/// requests are sent in one exchange, with the commit: an alias that is taken after all fails there, and the whole batch is carried out
/// step by step (`PostgresBatch`).
///
/// A look-up at something that the same request changed before needs the server, as does every step that is not known here.
final class PostgresDraft {
    /// Look-ups of one request in one exchange; with more it is carried out step by step. A reveal looks up to 4,096 texts up.
    static let limit = 4_096

    /// What a step reads or writes.
    fileprivate enum Key: Hashable {
        case alias(PostgresValue)
        case value(PostgresValue)
        case fingerprint(PostgresValue)
        case response(PostgresValue)
    }

    private var known: [PostgresCommand: PostgresRows] = [:]
    private var drawn: [Int64] = []
    fileprivate private(set) var read: Set<Key> = []
    fileprivate private(set) var written: Set<Key> = []
    /// Whether something was changed that look-ups by other keys see, too.
    private var hasReplaced = false

    /// Look-ups whose results were guessed.
    private(set) var guesses: [PostgresCommand] = []
    /// What the request changes.
    private(set) var changes: [PostgresCommand] = []
    /// Whether it took a step that can't be foreseen: then what it came to is void.
    private(set) var needsServer = false

    /// Before the request runs, for the first time or again. Returns the ids that it had drawn.
    func begin() -> [Int64] {
        defer { drawn = [] }
        (guesses, changes, read, written) = ([], [], [], [])
        (hasReplaced, needsServer) = (false, false)
        return drawn
    }

    func note(drawn id: Int64) { drawn.append(id) }

    /// Takes what its guesses came to. Returns whether they were right.
    func learn(_ results: ArraySlice<PostgresRows>) -> Bool {
        var isRight = true
        for (guess, rows) in zip(guesses, results) {
            known[guess] = rows
            if rows.count > 0 { isRight = false }
        }
        guesses = []
        return isRight
    }

    /// The rows that requests read and write.
    struct Rows {
        private var read: Set<Key> = []
        private var written: Set<Key> = []

        /// Adds those of a request, unless it would see or change what the others change, or change what they have seen.
        mutating func add(_ draft: PostgresDraft) -> Bool {
            guard written.isDisjoint(with: draft.read), written.isDisjoint(with: draft.written),
                read.isDisjoint(with: draft.written)
            else { return false }
            read.formUnion(draft.read)
            written.formUnion(draft.written)
            return true
        }
    }

    /// A step of the request. Throws if it can't be foreseen.
    func step(_ statement: PostgresStatement, _ values: [PostgresValue]) throws(PostgresFailure) -> PostgresRows {
        if needsServer { throw .unforeseen }
        let value = { (index: Int) in index < values.count ? values[index] : .null }
        switch statement {
        case .lockByAlias, .selectByAlias, .selectHeld: return try look(statement, values, .alias(value(0)))
        case .lockByFingerprint, .selectByFingerprint: return try look(statement, values, .fingerprint(value(0)))
        case .selectAliases: return try look(statement, values, .value(value(0)))
        case .selectResponse: return try look(statement, values, .response(value(0)))
        case .insertAlias: return change(.insertFreeAlias, values, [.alias(value(0)), .value(value(2))])
        case .insertValue: return change(statement, values, [.value(value(0)), .fingerprint(value(2))])
        case .updateValue:
            return change(statement, values, [.value(value(0)), .fingerprint(value(1))], replaces: true)
        case .insertResponse: return change(.insertFreeResponse, values, [.response(value(0))])
        case .replaceResponse: return change(statement, values, [.response(value(0))])
        default: throw leaveToServer()
        }
    }

    /// Gives the request up: it is carried out step by step.
    func leaveToServer() -> PostgresFailure {
        needsServer = true
        return .unforeseen
    }

    private func look(
        _ statement: PostgresStatement, _ values: [PostgresValue], _ key: Key
    ) throws(PostgresFailure) -> PostgresRows {
        guard !hasReplaced, !written.contains(key), guesses.count < Self.limit else { throw leaveToServer() }
        read.insert(key)
        let command = PostgresCommand(statement: statement, values: values)
        if let rows = known[command] { return rows }
        guesses.append(command)
        return PostgresRows(foreseen: ())
    }

    private func change(
        _ statement: PostgresStatement, _ values: [PostgresValue], _ keys: [Key], replaces: Bool = false
    ) -> PostgresRows {
        // Rows without a fingerprint have none in common.
        written.formUnion(keys.filter { $0 != .fingerprint(.null) })
        if replaces { hasReplaced = true }
        changes.append(PostgresCommand(statement: statement, values: values))
        return PostgresRows(foreseen: ())
    }
}
