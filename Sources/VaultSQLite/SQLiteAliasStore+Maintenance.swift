import Threads
public import Vault

extension SQLiteAliasStore {
    /// Brings a vault of format 2 into format 3; see `StoreUpgrade`.
    public func upgrade(
        _ upgrade: @escaping @Sendable (FormatUpgrade.Source) throws(VaultError) -> FormatUpgrade
    ) async throws(VaultError) {
        let work = StoreUpgrade(store: self, configuration: configuration)
        if !connections.areOpen {
            try await blocking { () throws(VaultError) in
                try work.begin(upgrade)
                try self.connections.openForVault()
            }
        }
        try await work.finish(upgrade)
    }

    /// Has the log moved and cut within the time for erasing: what a process that was killed had deleted may be in it, and in the pages
    /// of the database that it has not been moved into yet. Where nothing is in the log, that costs nothing.
    public func hasBeenOpened() {
        connections.writer.use { $0?.connection.moveLogOnClose() }
        checkpointer.noteErasure()
    }

    /// Gives up to 4 MiB of free pages back to the file system; between two such steps other requests go on. Returns how many pages of
    /// 4 KiB were given back, and how many still can be.
    ///
    /// Of a vault that was upgraded or made by this version only; of others it gives nothing back.
    public func compactStep() async throws(VaultError) -> (returned: Int, left: Int) {
        let step = try await steps { (transaction) throws(VaultError) in
            (try transaction.giveBackPages(limit: 1_024), try transaction.freePages())
        }
        // The file is cut when the log has been moved into it.
        if step.0 > 0, step.1 == 0 { checkpointer.noteErasure() }
        return (step.0, step.1)
    }

    /// Runs steps of this store's own in a writing transaction.
    func steps<Result: Sendable>(
        _ work: @escaping @Sendable (SQLiteTransaction) throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        try await submit(to: writer.mailbox) { (transaction) throws(VaultError) in try work(transaction) }
    }

    /// Writes the file again after an upgrade: without what the old tables have left in it, and so that pages can be given back.
    func rewriteIfUpgraded() async throws(VaultError) {
        try await blocking { () throws(VaultError) in try self.connections.rewriteIfUpgraded() }
    }

    private func blocking(_ work: @escaping @Sendable () throws(VaultError) -> Void) async throws(VaultError) {
        let failure: VaultError? = await withUnsafeContinuation { continuation in
            let worker = Worker {
                do throws(VaultError) {
                    try work()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
            if worker == nil { continuation.resume(returning: .unavailable("the system gives no more threads")) }
        }
        if let failure { throw failure }
    }
}

extension SQLiteTransaction {
    /// Pages that hold nothing.
    fileprivate func freePages() throws(VaultError) -> Int {
        try reading { () throws(SQLiteFailure) in Int(try connection.number("PRAGMA freelist_count")) }
    }

    /// Moves pages from the end of the file into free ones before them, at the most so many.
    fileprivate func giveBackPages(limit: Int64) throws(VaultError) -> Int {
        try writing { (_) throws(SQLiteFailure) in
            let before = try connection.number("PRAGMA freelist_count")
            guard before > 0 else { return 0 }
            let pragma = try connection.prepare("PRAGMA incremental_vacuum(\(limit))")
            while try pragma.step() {}
            pragma.reset()
            return Int(before - (try connection.number("PRAGMA freelist_count")))
        }
    }
}
