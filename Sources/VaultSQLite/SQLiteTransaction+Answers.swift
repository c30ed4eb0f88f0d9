import Vault

/// Answers that are kept for repeated requests.
extension SQLiteTransaction {
    func answer(_ name: [UInt8]) throws(VaultError) -> AnswerRecord? {
        let select = statements.selectAnswer
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(name, at: 1)
            guard try select.step() else { return nil }
            return AnswerRecord(
                name: select.bytes(0), keyID: select.integer(1), sealed: select.bytes(2), expiresAt: select.integer(3))
        }
    }

    func answerTotals() throws(VaultError) -> AnswerTotals {
        let select = statements.selectAnswerTotals
        return try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            guard try select.step() else { return AnswerTotals() }
            return AnswerTotals(count: Int(select.integer(0)), bytes: Int(select.integer(1)))
        }
    }

    func replace(_ answer: AnswerRecord) throws(VaultError) { _ = try run(statements.replaceAnswer, answer) }

    func insert(_ answer: AnswerRecord) throws(VaultError) -> Bool { try run(statements.insertAnswer, answer) }

    /// Whether a row was written.
    private func run(_ insert: SQLiteStatement, _ answer: AnswerRecord) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            insert.bind(answer.name, at: 1)
            insert.bind(answer.keyID, at: 2)
            insert.bind(answer.sealed, at: 3)
            insert.bind(answer.expiresAt, at: 4)
            try insert.run()
            hasInserted = true
            return connection.changes > 0
        }
    }

    func delete(answer name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try writing { () throws(SQLiteFailure) in
            statements.deleteThisAnswer.bind(name, at: 1)
            statements.deleteThisAnswer.bind(sealed, at: 2)
            try statements.deleteThisAnswer.run()
            return connection.changes > 0
        }
    }

    func deleteAnswers(expiringBy time: Int64, limit: Int) throws(VaultError) -> AnswerTotals {
        let select = statements.selectOldAnswers
        let old = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(Int64(limit), at: 2)
            var old: [(id: Int64, bytes: Int)] = []
            while try select.step() { old.append((select.integer(0), Int(select.integer(1)))) }
            return old
        }
        if old.isEmpty { return AnswerTotals() }
        try writing { () throws(SQLiteFailure) in
            for row in old {
                statements.deleteAnswer.bind(row.id, at: 1)
                try statements.deleteAnswer.run()
            }
        }
        return AnswerTotals(count: old.count, bytes: old.reduce(0) { $0 + $1.bytes })
    }
}
