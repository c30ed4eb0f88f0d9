/// Which erasures by classifier are under way, and which have ended without a record of it in the audit log.
extension Vault {
    /// Those that are under way.
    public func openErasures() async throws(VaultError) -> [String] { try await list(erasureNotes.list) }

    /// Those that ended so many seconds ago or earlier, and that `noteRecord` was not called for: the commit of the last step was left
    /// open, or the process ended after it. Until then the process that made that step records them. Those that are damaged are left out.
    public func unrecordedErasures(after seconds: Int64 = 60) async throws(VaultError) -> [Erasure] {
        let last = configuration.clock.unixSeconds() - seconds
        let ids: [String]
        do { ids = try await list(erasureNotes.ended) } catch .damaged { return [] }
        var erasures: [Erasure] = []
        for id in ids {
            let found: Erasure?
            do { found = try await erasure(id) } catch .damaged { continue }
            if let found, let end = found.finishedAt, end <= last { erasures.append(found) }
        }
        return erasures
    }

    /// Notes that the end of an erasure is in the audit log.
    public func noteRecord(of erasure: Erasure) async throws(VaultError) {
        try await allotSeals(1, now: configuration.clock.unixSeconds())
        try await write { [self] (transaction) throws(VaultError) in
            try change(erasureNotes.ended, in: transaction) { ended in ended.removeAll { $0 == erasure.id } }
        }
    }

    private func list(_ name: [UInt8]) async throws(VaultError) -> [String] {
        let bytes = try await response(under: name)
        return bytes.flatMap(ClassifierCoding.decode) ?? []
    }

    /// Throws `unavailable` if too many are under way: one that needs nothing but the store is begun while those that also erase volatile
    /// values wait for their server.
    func noteBeginning(
        of id: String, isPersistentOnly: Bool, in transaction: any AliasTransaction
    ) throws(VaultError) {
        let most = isPersistentOnly ? ErasureNotes.openWithStored : ErasureNotes.open
        try change(erasureNotes.list, in: transaction) { open throws(VaultError) in
            guard open.count < most else { throw .unavailable("too many erasures are under way") }
            open.append(id)
        }
    }

    /// In the transaction of an erasure's last step.
    func noteEnd(of id: String, in transaction: any AliasTransaction) throws(VaultError) {
        try change(erasureNotes.list, in: transaction) { open in open.removeAll { $0 == id } }
        try change(erasureNotes.ended, in: transaction) { ended in
            ended.append(id)
            ended.removeFirst(max(0, ended.count - ErasureNotes.ended))
        }
    }

    /// Changes a list. An empty one is removed, so that a look-up of it finds nothing to open.
    private func change(
        _ name: [UInt8], in transaction: any AliasTransaction, _ change: (inout [String]) throws(VaultError) -> Void
    ) throws(VaultError) {
        for _ in 0..<ErasureNotes.attempts { if try hasChanged(name, in: transaction, change) { return } }
        throw .unavailable("other erasures begin or end all the time")
    }

    /// False, and nothing done, if another process came first.
    private func hasChanged(
        _ name: [UInt8], in transaction: any AliasTransaction, _ change: (inout [String]) throws(VaultError) -> Void
    ) throws(VaultError) -> Bool {
        var list: [String] = []
        if let old = try transaction.response(name) {
            try learnKeys([old.keyID], transaction)
            do { list = ClassifierCoding.decode(try open(old, under: name)) ?? [] } catch .damaged
                where name == erasureNotes.ended
            {
                // It serves lines of the audit log only: a damaged list is replaced by an empty one, so that erasures go on.
                counters.foundDamage()
            }
            guard try transaction.delete(response: name, sealed: old.sealed) else { return false }
        }
        try change(&list)
        if list.isEmpty { return true }
        let record = try sealer.seal(
            response: ClassifierCoding.encode(list), name: name,
            expiresAt: configuration.clock.unixSeconds() + ErasureNotes.openLifetime, under: keyring.active.data)
        return try transaction.insert(record)
    }
}
