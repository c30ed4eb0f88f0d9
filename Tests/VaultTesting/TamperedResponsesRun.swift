public import Vault

/// What no vault may believe of stored responses and erasures that somebody with write access to the database has changed: a request gets
/// its own response, an erasure is the one that was asked for, and anything else is damage or unknown.
public struct TamperedResponsesRun {
    private let vault: Vault
    private let table: String
    private let columns: [(name: String, isNumber: Bool)]
    private let hexadecimal: (String) -> String
    private let literal: (String) -> String
    private let query: (String, _ columns: Int) throws -> [[String]]

    /// - Parameters:
    ///   - table: its name.
    ///   - columns: all of them, and which are numbers; the others are bytes.
    ///   - hexadecimal: the bytes of a column as hexadecimal digits, in SQL.
    ///   - literal: the bytes with these hexadecimal digits, in SQL.
    ///   - query: runs a statement; returns its rows as texts.
    public init(
        _ vault: Vault, table: String, columns: [(name: String, isNumber: Bool)],
        hexadecimal: @escaping (String) -> String, literal: @escaping (String) -> String,
        query: @escaping (String, _ columns: Int) throws -> [[String]]
    ) {
        (self.vault, self.table, self.columns) = (vault, table, columns)
        (self.hexadecimal, self.literal, self.query) = (hexadecimal, literal, query)
    }

    private static let names = (1...4 as ClosedRange<UInt8>).map { [UInt8](repeating: $0, count: 32) }

    private struct Known {
        /// By their numbers in `names`.
        let responses: [[UInt8]]
        let erasures: [Erasure]
        let open: [String]
        let ended: [Erasure]
    }

    /// What was believed, if anything was. The table must be empty.
    public func problem(flips: Int) async throws -> String? {
        let known = try await fill()
        let rows = try query("SELECT \(selected) FROM \(table) ORDER BY 1", columns.count)
        guard rows.count == 9, try await noticed(known) == 0 else { return "what was stored is not read" }
        for (column, described) in columns.enumerated() {
            var exchanges = 0
            for one in rows.indices {
                for other in rows.indices where other > one && rows[one][column] != rows[other][column] {
                    var changed = rows
                    changed[one][column] = rows[other][column]
                    changed[other][column] = rows[one][column]
                    if let problem = try await problem(changed, "\(described.name) of \(one) and \(other)", known) {
                        return problem
                    }
                    exchanges += 1
                }
            }
            guard exchanges >= 12 else { return "\(described.name): only \(exchanges) rows differ" }
        }
        var random = SeededGenerator(state: 15)
        for _ in 0..<flips {
            let row = Int.random(in: rows.indices, using: &random)
            let column = Int.random(in: columns.indices, using: &random)
            let bit = Int.random(in: 0..<2_000, using: &random)
            var changed = rows
            let content = flipped(rows[row][column], bit, isNumber: columns[column].isNumber)
            // No two rows have the same id.
            if columns[column].name == "id", rows.contains(where: { $0[column] == content }) { continue }
            changed[row][column] = content
            let comment = "bit \(bit) of \(columns[column].name) of \(row)"
            if let problem = try await problem(changed, comment, known) { return problem }
        }
        try put(rows)
        return try await noticed(known) == 0 ? nil : "rows that were put back are not read"
    }

    private func problem(_ rows: [[String]], _ comment: String, _ known: Known) async throws -> String? {
        try put(rows)
        guard let noticed = try await noticed(known) else { return "\(comment): believed" }
        return noticed == 0 ? "\(comment): not noticed" : nil
    }

    /// Four responses, two erasures that are under way, one that is done, and the lists of both; under two keys, each with a time of its
    /// own.
    private func fill() async throws -> Known {
        _ = try await vault.create([.new("one", .uuid, ["customer 1"]), .new("two", .uuid, ["customer 2"])])
        var responses: [[UInt8]] = []
        for (number, name) in Self.names.enumerated() {
            if number == 2 { try await vault.rotateKey() }
            responses.append(Array("the response to caller \(number)".utf8))
            try await vault.storeResponse(
                responses[number], under: name, for: 1_000_000 + Int64(number) * 1_000)
        }
        var erasures: [Erasure] = []
        for classifier in ["customer 9", "customer 1", "customer 2"] {
            let begun = try await vault.beginErasure(
                classifier: classifier, storage: nil, requestID: "r \(classifier)", credential: "dev")
            if erasures.isEmpty { try await finish(begun) }
            if let erasure = try await vault.erasure(begun.id) { erasures.append(erasure) }
        }
        return Known(
            responses: responses, erasures: erasures, open: try await vault.openErasures(),
            ended: try await vault.unrecordedErasures(after: 0))
    }

    private func finish(_ erasure: Erasure) async throws {
        while let done = try await vault.advance(erasure: erasure.id), done.finishedAt == nil {}
    }

    /// How many of them were not read as they were stored; nil if one was read as something else, or a request may be carried out again
    /// although its row is there.
    private func noticed(_ known: Known) async throws -> Int? {
        var noticed = 0
        for (name, response) in zip(Self.names, known.responses) {
            switch try await read({ () throws(VaultError) in try await vault.response(under: name) }) {
            case .found(let found): if found != response { return nil }
            case .unknown: noticed += 1
            case .damaged:
                noticed += 1
                let claim = try await read { () throws(VaultError) in
                    try await vault.claimResponse(name, with: [0], for: 1_000)
                }
                guard case .damaged = claim else { return nil }
            }
        }
        for erasure in known.erasures {
            switch try await read({ () throws(VaultError) in try await vault.erasure(erasure.id) }) {
            case .found(let found): if found != erasure { return nil }
            case .unknown: noticed += 1
            case .damaged:
                noticed += 1
                let step = try await read { () throws(VaultError) in try await vault.advance(erasure: erasure.id) }
                guard case .damaged = step else { return nil }
            }
        }
        switch try await read({ () throws(VaultError) -> [String]? in try await vault.openErasures() }) {
        case .found(let open): if open.isEmpty { noticed += 1 } else if open != known.open { return nil }
        default: noticed += 1
        }
        switch try await read({ () throws(VaultError) -> [Erasure]? in try await vault.unrecordedErasures(after: 0) }) {
        case .found(let ended): if ended.isEmpty { noticed += 1 } else if ended != known.ended { return nil }
        default: noticed += 1
        }
        return noticed
    }

    private enum Reading<Content> {
        case found(Content)
        case unknown
        case damaged
    }

    private func read<Content>(_ body: () async throws(VaultError) -> Content?) async throws -> Reading<Content> {
        do throws(VaultError) {
            return if let found = try await body() { .found(found) } else { .unknown }
        } catch {
            guard case .damaged = error else { throw error }
            return .damaged
        }
    }

    private var selected: String {
        columns.map { $0.isNumber ? $0.name : hexadecimal($0.name) }.joined(separator: ", ")
    }

    private func put(_ rows: [[String]]) throws {
        var statement = "DELETE FROM \(table)"
        for row in rows {
            let contents = zip(row, columns).map { $1.isNumber ? $0 : literal($0) }.joined(separator: ", ")
            statement += "; INSERT INTO \(table) (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(contents))"
        }
        _ = try query(statement, 0)
    }

    private func flipped(_ text: String, _ bit: Int, isNumber: Bool) -> String {
        if isNumber { return Int64(text).map { String($0 ^ 1 << Int64(bit % 40)) } ?? text }
        var digits = Array(text)
        guard !digits.isEmpty, let digit = digits[bit / 4 % digits.count].hexDigitValue else { return text }
        digits[bit / 4 % digits.count] = Character(String(digit ^ 1 << (bit % 4), radix: 16))
        return String(digits)
    }
}
