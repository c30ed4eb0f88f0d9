/// The commands of many requests as few: look-ups of one kind as one statement with all keys, new rows of one table as one with all rows.
/// So a batch takes a constant number of statements: a statement costs the server several times what a row does. A look-up that several
/// requests have in common is sent once.
///
/// New rows come first, then everything else in its order. That is the same to the database: requests of one batch meet in no row
/// (`PostgresDraft.Rows`), and no row refers to another of them. What others may lock or add, too, is in the order of its
/// fingerprints or names: two batches that meet in several of them then wait for each other in one direction only. Aliases are drawn at
/// random, and get their positions in the order in which they were made.
struct PostgresGroups {
    /// Where the result of a command stands: in that of a command that is sent, as this part of it.
    private struct Place {
        let sent: Int
        var part: Int?
    }

    /// What is sent.
    private(set) var commands: [PostgresCommand] = []
    private var places: [Place] = []

    init(_ commands: [PostgresCommand]) {
        var members: [PostgresStatement: [Int]] = [:]
        for (index, command) in commands.enumerated() { members[command.statement, default: []].append(index) }
        var places = [Place?](repeating: nil, count: commands.count)
        for (statement, indexes) in members.sorted(by: { $0.value[0] < $1.value[0] }) where indexes.count > 1 {
            guard let group = statement.group else { continue }
            let indexes =
                group.order.map { column in
                    indexes.sorted { commands[$0].values[column].precedes(commands[$1].values[column]) }
                } ?? indexes
            let distinct = group.isLookUp ? Self.distinct(indexes, of: commands) : indexes.map { [$0] }
            let isOne = distinct.count == 1
            for (part, same) in distinct.enumerated() {
                let place = Place(sent: self.commands.count, part: group.isLookUp && !isOne ? part : nil)
                for index in same { places[index] = place }
            }
            // For many keys, the server keeps a plan; for an array of one it would make a plan each time.
            if isOne {
                self.commands.append(commands[indexes[0]])
                continue
            }
            let columns = group.types.enumerated().map { column, type in
                PostgresValue.array(type, of: distinct.lazy.map { commands[$0[0]].values[column] })
            }
            self.commands.append(PostgresCommand(statement: group.statement, values: columns))
        }
        for (index, command) in commands.enumerated() where places[index] == nil {
            places[index] = Place(sent: self.commands.count)
            self.commands.append(command)
        }
        self.places = places.compactMap(\.self)
    }

    /// Those with the same values together. In order, equal ones are neighbours.
    private static func distinct(_ indexes: [Int], of commands: [PostgresCommand]) -> [[Int]] {
        var distinct: [[Int]] = []
        for index in indexes {
            if let last = distinct.last, commands[last[0]].values == commands[index].values {
                distinct[distinct.count - 1].append(index)
            } else {
                distinct.append([index])
            }
        }
        return distinct
    }

    /// The results of the commands that were asked for, of those of what was sent.
    func results(_ sent: [PostgresRows]) throws(PostgresFailure) -> [PostgresRows] {
        var counts = [Int](repeating: 0, count: sent.count)
        for place in places {
            if let part = place.part { counts[place.sent] = max(counts[place.sent], part + 1) }
        }
        var parts: [[PostgresRows]] = []
        for (rows, count) in zip(sent, counts) { parts.append(count > 0 ? try rows.parts(count) : [rows]) }
        return places.map { parts[$0.sent][$0.part ?? 0] }
    }
}

extension PostgresStatement {
    /// The statement that does the same for many.
    fileprivate struct Group {
        let statement: PostgresStatement
        /// The types of its parameters, each an array.
        let types: [PostgresValue.Element]
        /// Whether each of the many has results of its own.
        var isLookUp = true
        /// The parameter by which they are sorted; nil if they stay in their order.
        var order: Int? = 0
    }

    /// Nil if there is none.
    fileprivate var group: Group? {
        switch self {
        case .selectByAlias: Group(statement: .selectByAliases, types: [.bytes])
        case .lockByAlias: Group(statement: .lockByAliases, types: [.bytes])
        case .selectByFingerprint: Group(statement: .selectByFingerprints, types: [.bytes])
        case .lockByFingerprint: Group(statement: .lockByFingerprints, types: [.bytes])
        case .selectAliases: Group(statement: .selectAliasesOfValues, types: [.integer])
        case .selectHeld: Group(statement: .selectAllHeld, types: [.bytes])
        case .selectResponse: Group(statement: .selectResponses, types: [.bytes])
        case .insertValue:
            Group(
                statement: .insertValues,
                types: [.integer, .bytes, .bytes, .integer, .bytes, .bytes, .integer, .integer], isLookUp: false,
                order: 2)
        case .insertFreeAlias:
            Group(
                statement: .insertFreeAliases, types: [.bytes, .integer, .integer, .bytes], isLookUp: false, order: nil)
        case .insertFreeResponse:
            Group(statement: .insertFreeResponses, types: [.bytes, .integer, .bytes, .integer], isLookUp: false)
        default: nil
        }
    }
}
