import Vault

/// Answers that are kept for repeated requests.
extension SQLiteTransaction {
    func answer(_ name: [UInt8]) throws(VaultError) -> AnswerRecord? {
        try reading { () throws(SQLiteFailure) in try find(name)?.answer }
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
        try writing { (writer) throws(SQLiteFailure) in
            if let old = try find(answer.name) { try remove(old.id, answer.name, writer) }
            try write(answer, writer)
        }
    }

    func insert(_ answer: AnswerRecord) throws(VaultError) -> Bool {
        try writing { (writer) throws(SQLiteFailure) in
            guard try find(answer.name) == nil else { return false }
            try write(answer, writer)
            return true
        }
    }

    func delete(answer name: [UInt8], sealed: [UInt8]) throws(VaultError) -> Bool {
        try writing { (writer) throws(SQLiteFailure) in
            guard let found = try find(name), found.answer.sealed == sealed else { return false }
            try remove(found.id, name, writer)
            return true
        }
    }

    func deleteAnswers(expiringBy time: Int64, limit: Int) throws(VaultError) -> AnswerTotals {
        let select = statements.selectOldAnswers
        let old = try reading { () throws(SQLiteFailure) in
            defer { select.reset() }
            select.bind(time, at: 1)
            select.bind(Int64(limit), at: 2)
            var old: [(id: Int64, name: [UInt8], bytes: Int)] = []
            while try select.step() { old.append((select.integer(0), select.bytes(1), Int(select.integer(2)))) }
            return old
        }
        if old.isEmpty { return AnswerTotals() }
        try writing { (writer) throws(SQLiteFailure) in
            for row in old { try remove(row.id, row.name, writer) }
        }
        return AnswerTotals(count: old.count, bytes: old.reduce(0) { $0 + $1.bytes })
    }

    // MARK: Rows

    private func find(_ name: [UInt8]) throws(SQLiteFailure) -> (id: Int64, answer: AnswerRecord)? {
        let select = statements.selectAnswer
        return try indexes.first(.answer, hash.indexHash(name)) {
            (place) throws(SQLiteFailure) -> (id: Int64, answer: AnswerRecord)? in
            defer { select.reset() }
            select.bind(place, at: 1)
            guard try select.step(), select.bytes(1) == name else { return nil }
            let answer = AnswerRecord(
                name: name, keyID: select.integer(2), sealed: select.bytes(3), expiresAt: select.integer(4))
            return (select.integer(0), answer)
        }
    }

    private func write(_ answer: AnswerRecord, _ writer: IndexWriter) throws(SQLiteFailure) {
        guard let id = writer.nextId(.answer) else { throw SQLiteFailure(code: SQLiteFailure.full) }
        let insert = statements.insertAnswer
        insert.bind(id, at: 1)
        insert.bind(answer.name, at: 2)
        insert.bind(answer.keyID, at: 3)
        insert.bind(answer.sealed, at: 4)
        insert.bind(answer.expiresAt, at: 5)
        try insert.run()
        try writer.add(.answer, hash.indexHash(answer.name), RowPlace(.answer, id))
        hasInserted = true
    }

    private func remove(_ id: Int64, _ name: [UInt8], _ writer: IndexWriter) throws(SQLiteFailure) {
        statements.deleteAnswer.bind(id, at: 1)
        try statements.deleteAnswer.run()
        try writer.remove(.answer, hash.indexHash(name), RowPlace(.answer, id))
        hasErased = true
    }
}
