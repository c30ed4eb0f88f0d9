import Synchronization
public import Vault

/// What no vault may believe of rows about callers that somebody with write access to the database has changed: a session has no more
/// uses than it had, and an end or a guess is one that was recorded.
public struct TamperedAccessRun {
    private let vault: Vault
    private let table: String
    private let hexadecimal: String
    private let literal: @Sendable (String) -> String
    private let query: (String) throws -> [[String]]

    /// - Parameters:
    ///   - table: its name.
    ///   - hexadecimal: the columns `kind`, `name`, `content` and `forgotten_at` as texts, bytes in hexadecimal digits.
    ///   - literal: the bytes with these hexadecimal digits, in SQL.
    ///   - query: runs a statement; returns its rows.
    public init(
        _ vault: Vault, table: String, hexadecimal: String, literal: @escaping @Sendable (String) -> String,
        query: @escaping (String) throws -> [[String]]
    ) {
        (self.vault, self.table, self.hexadecimal) = (vault, table, hexadecimal)
        (self.literal, self.query) = (literal, query)
    }

    private static let later: Int64 = 4_000_000_000
    private static let uses: [(name: [UInt8], count: UInt8)] = [
        ([UInt8](repeating: 1, count: 16), 5), ([UInt8](repeating: 2, count: 16), 20),
    ]
    private static let endings = [
        AccessRecord(.ending, name: [UInt8](repeating: 3, count: 16), content: Array("shop".utf8), forgottenAt: later),
        AccessRecord(.ending, name: [UInt8](repeating: 4, count: 16), content: Array("site".utf8), forgottenAt: later),
    ]
    private static let guesses = [
        AccessRecord(.guess, name: [UInt8](repeating: 5, count: 32), forgottenAt: later),
        AccessRecord(.guess, name: [UInt8](repeating: 6, count: 32), forgottenAt: later - 1),
    ]

    private struct Row {
        var columns: [String]

        static let names = ["kind", "name", "content", "forgotten_at"]
    }

    /// What was believed, if anything was. The table must be empty.
    public func problem(flips: Int) async throws -> String? {
        for (name, count) in Self.uses {
            _ = try await vault.changeAccessRecord(.uses, name, forgottenAt: Self.later) { _ in [count] }
        }
        try await vault.addAccessRecords(Self.endings + Self.guesses)
        let rows = try query("SELECT \(hexadecimal) FROM \(table) ORDER BY kind, name").map { Row(columns: $0) }
        guard rows.count == 6, try await noticed() == 0 else { return "what was recorded is not read" }
        for column in 0..<4 {
            for one in rows.indices {
                for other in rows.indices where other > one && rows[one].columns[column] != rows[other].columns[column]
                {
                    var changed = rows
                    changed[one].columns[column] = rows[other].columns[column]
                    changed[other].columns[column] = rows[one].columns[column]
                    try put(changed)
                    let comment = "\(Row.names[column]) of \(one) and \(other)"
                    guard let noticed = try await noticed() else { return "\(comment): believed" }
                    if noticed == 0 { return "\(comment): not noticed" }
                }
            }
        }
        var random = SeededGenerator(state: 27)
        for _ in 0..<flips {
            var changed = rows
            let (row, column) = (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<4, using: &random))
            let bit = Int.random(in: 0..<400, using: &random)
            guard let flipped = Self.flipped(changed[row].columns[column], bit, isNumber: column % 3 == 0) else {
                continue
            }
            changed[row].columns[column] = flipped
            try put(changed)
            let comment = "bit \(bit) of \(Row.names[column]) of \(row)"
            guard let noticed = try await noticed() else { return "\(comment): believed" }
            if noticed == 0 { return "\(comment): not noticed" }
        }
        // When it was recorded is not believed either: put back, it counts as recorded before all time.
        try put(rows)
        return try await noticed() == 0 ? nil : "rows that were put back are not read"
    }

    private final class Found: Sendable { let content = Mutex<[UInt8]?>(nil) }

    /// How many of the rows were not read as they were recorded; nil if one was read as something else.
    private func noticed() async throws -> Int? {
        var noticed = 0
        for (name, count) in Self.uses {
            let found = Found()
            let wasDamaged = try await look(name, found)
            let content = found.content.withLock { $0 }
            // A row under another name is a row that was deleted.
            if wasDamaged || content == nil { noticed += 1 } else if content != [count] { return nil }
        }
        for (kind, known) in [(AccessRecord.Kind.ending, Self.endings), (.guess, Self.guesses)] {
            let read = try await vault.accessRecords(kind, since: nil).records
            guard read.allSatisfy(known.contains) else { return nil }
            noticed += known.count - read.count
        }
        return noticed
    }

    /// Whether a session's row was refused as damaged.
    private func look(_ name: [UInt8], _ found: Found) async throws -> Bool {
        do throws(VaultError) {
            _ = try await vault.changeAccessRecord(.uses, name, forgottenAt: Self.later) { old in
                found.content.withLock { $0 = old }
                return nil
            }
            return false
        } catch {
            guard case .damaged = error else { throw error }
            return true
        }
    }

    private func put(_ rows: [Row]) throws {
        var statement = "DELETE FROM \(table)"
        for row in rows {
            let columns = row.columns
            statement += """
                ; INSERT INTO \(table) (kind, name, content, forgotten_at, recorded_at) VALUES
                (\(columns[0]), \(literal(columns[1])), \(literal(columns[2])), \(columns[3]), -9e18)
                """
        }
        _ = try query(statement)
    }

    private static func flipped(_ text: String, _ bit: Int, isNumber: Bool) -> String? {
        if isNumber { return Int64(text).map { String($0 ^ 1 << Int64(bit % 62)) } }
        var digits = Array(text)
        guard !digits.isEmpty, let digit = digits[bit / 4 % digits.count].hexDigitValue else { return nil }
        digits[bit / 4 % digits.count] = Character(String(digit ^ 1 << (bit % 4), radix: 16))
        return String(digits)
    }
}
