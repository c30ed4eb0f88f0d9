/// A store that outlives the process: what operators need to know of it, and its end.
public protocol DurableStore: AliasStore {
    /// Why the database could not do what it was last asked for, writing or reading: damaged, full, gone. Nil if it could. Asks
    /// nothing of the database.
    var failure: VaultError? { get }

    /// Tries again what failed for a reason that may pass, so that a store without requests is found well again.
    func retryAfterFailure() async

    /// What it has done.
    var metrics: StoreMetrics { get }

    /// Records the address at which a command that finds the vault in use can reach this process.
    func announce(address: String)

    /// The process is about to end: a server that does not respond must not keep it. From now on requests that have not begun are refused, and
    /// those that wait for a server fail after seconds; what it responds to is carried out for some seconds more. Returns at once.
    func endWaitsSoon()

    /// Finishes waiting requests and closes the database. Blocks; for the end of a process.
    func close()
}

extension AliasTransaction {
    /// Writes a row, larger than what a request usually asks for, and takes it back again: room that must be found, and a sync. On
    /// a full disk a row that exists could still be changed in its place.
    package func probeWriting() throws(VaultError) {
        guard let key = try keys().last else { return }
        let row = ResponseRecord(
            name: [UInt8](repeating: 0, count: 32), keyID: key.id, sealed: [UInt8](repeating: 0, count: 32_768),
            expiresAt: .min)
        try replace(row)
        _ = try delete(response: row.name, sealed: row.sealed)
    }
}
