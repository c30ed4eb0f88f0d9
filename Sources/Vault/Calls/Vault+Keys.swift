import Crypto
import Synchronization

extension Vault {
    /// The data keys, oldest first.
    public func keyStatus() async throws(VaultError) -> [KeyStatus] {
        let keys =
            isShared
            ? try await followedKeys()
            : try await store.read { (reading) throws(VaultError) in try reading.keys() }
        let active = keyring.active.data.id
        return keys.compactMap { record in
            guard record.purpose == .data, let key = keyring.key(record.id) else { return nil }
            return KeyStatus(
                id: record.id, createdAt: record.createdAt, allottedUses: record.allottedUses,
                isActive: record.id == active, isWaiting: record.id > active, checkValue: key.checkValue)
        }
    }

    /// A key for another use than values, the same for as long as this vault exists.
    public func key(for use: RootKey) -> [UInt8] { keyring.root(use) }

    /// Makes a new data key for what is written from now on.
    ///
    /// - Parameter fingerprints: makes a new fingerprint key too. Until `rewrap` has gone through all values, those that are not yet
    ///   sealed again are found by the key before. In a store that several processes write to, both new keys are used a minute later,
    ///   when all know them: one that did not would not find a value again, and store it a second time.
    public func rotateKey(fingerprints: Bool = false) async throws(VaultError) {
        try await allot(0, now: configuration.clock.unixSeconds(), fingerprints ? .allKeys : .dataKey)
    }

    /// The oldest key that this process has made by itself, because the one before had become too old or was used up, and that no call
    /// of this function has returned yet; nil if there is none.
    public func takeRotation() -> Int64? {
        rotations.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Makes sure that `uses` seals are allotted in the store before they are made.
    func allotSeals(_ uses: Int64, now: Int64) async throws(VaultError) {
        guard !keyring.spend(uses, now: now) else { return }
        try await allot(uses, now: now, .whenDue)
        _ = keyring.spend(uses, now: now)
    }

    private func allot(_ uses: Int64, now: Int64, _ rotation: KeyMaintenance.Rotation) async throws(VaultError) {
        let maintenance = KeyMaintenance(keyring: keyring, random: random)
        let active = keyring.active.data.id
        let allotment = try await write { (transaction) throws(VaultError) in
            try maintenance.allot(uses, in: transaction, now: now, rotation)
        }
        keyring.adopt(allotment)
        if case .whenDue = rotation, allotment.key.id > active, allotment.isNew {
            rotations.withLock { $0.append(allotment.key.id) }
        }
        // What is remembered of values is found by fingerprints, which are others from now on.
        if allotment.fingerprint != nil { cache?.removeAll() }
    }
}
