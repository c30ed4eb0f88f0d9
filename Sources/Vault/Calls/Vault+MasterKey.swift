extension Vault {
    /// The master key, and whether a change of it is under way.
    public func masterKeyStatus() async throws(VaultError) -> MasterKeyStatus {
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys() }
        let (masters, envelope) = (keyring.masters, keyring.envelope)
        let next = masters.next.flatMap { next in keys.contains { envelope.isPending($0, under: next) } ? next : nil }
        return MasterKeyStatus(
            checkValue: masters.current.checkValue,
            isNext: keys.contains { envelope.isPending($0, under: masters.current) },
            isBeingChanged: keys.contains { $0.pendingWrapped != nil }, nextCheckValue: next?.checkValue)
    }

    /// Wraps all keys under another master key too; no value is touched. Both wrappings stay until the vault has been opened with
    /// the new key, so that neither key is the wrong one until then. Replaces a change that was begun and not completed; gives it up
    /// if `master` is the key that they are under.
    ///
    /// - Returns: whether a change is under way from now on.
    @discardableResult
    public func changeMasterKey(to master: MasterKey) async throws(VaultError) -> Bool {
        let (envelope, current) = (keyring.envelope, keyring.masters.current)
        let next = master.checkValue == current.checkValue ? nil : master
        try await write { (transaction) throws(VaultError) in
            let keys = try transaction.keys()
            guard !keys.contains(where: { envelope.isPending($0, under: current) }) else {
                throw .unavailable("the master key is being changed to this one: serve the vault with it first")
            }
            for key in keys { try transaction.update(envelope.preparing(key, for: next, under: current)) }
        }
        keyring.prepare(for: next)
        return next != nil
    }

    /// Drops the wrappings under the old master key, now that all keys have been opened with the new one. Returns whether there were any.
    public func completeMasterKeyChange() async throws(VaultError) -> Bool {
        let (envelope, master) = (keyring.envelope, keyring.masters.current)
        let keys = try await store.read { (reading) throws(VaultError) in try reading.keys() }
        guard keys.contains(where: { envelope.isPending($0, under: master) }) else { return false }
        return try await write { (transaction) throws(VaultError) in
            var isCompleted = false
            for var key in try transaction.keys() where envelope.isPending(key, under: master) {
                guard let pending = key.pendingWrapped else { continue }
                key.wrapped = pending
                key.pendingWrapped = nil
                try transaction.update(key)
                isCompleted = true
            }
            return isCompleted
        }
    }
}
