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

    func replace(_ answer: AnswerRecord) throws(VaultError) {
        try writing { () throws(SQLiteFailure) in
            let insert = statements.replaceAnswer
            insert.bind(answer.name, at: 1)
            insert.bind(answer.keyID, at: 2)
            insert.bind(answer.sealed, at: 3)
            insert.bind(answer.expiresAt, at: 4)
            try insert.run()
            hasInserted = true
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
