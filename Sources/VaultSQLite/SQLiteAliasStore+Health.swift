public import Vault

extension SQLiteAliasStore {
    /// Why the database could not do what it was last asked for, writing or reading: damaged, the disk full, locked. Nil if
    /// it could. Asks nothing of the disk.
    public var failure: VaultError? { writer.figures.failure ?? reader.figures.failure }

    /// Tries again what failed for a reason that may pass, so that an idle store is found to work again. A
    /// damaged file does not heal by another page of it being whole: there only what callers ask for can tell.
    public func retryAfterFailure() async {
        lock.retryAnnouncement()
        if writer.figures.failure?.mayPass == true {
            try? await write { (transaction) throws(VaultError) in try transaction.probeWriting() }
        }
        if reader.figures.failure?.mayPass == true {
            _ = try? await read { (reading) throws(VaultError) in try reading.keys().count }
        }
    }
}

extension VaultError {
    /// Whether a retry may succeed, as after a commit whose outcome is unknown.
    fileprivate var mayPass: Bool {
        if case .corrupt = self { false } else { true }
    }
}
