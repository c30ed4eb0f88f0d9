import Crypto

extension AuditAnchor {
    /// Throws `damaged` unless the vault wrote this anchor; for a vault that is not opened, from what its store holds. Throws
    /// `wrongMasterKey` and `corrupt`, too.
    public func check(vaultID: [UInt8], keys: [KeyRecord], masterKey: MasterKey) throws(VaultError) {
        guard let record = keys.last(where: { $0.purpose == .integrity }) else {
            throw .corrupt("the vault's keys are missing")
        }
        let envelope = KeyEnvelope(vaultID: vaultID)
        var root = try envelope.open(record, under: masterKey).key
        defer { SecureWipe.wipe(&root) }
        let integrity = try crypto(try IntegrityKeys(root: root, envelope))
        try Sealer(vaultID: vaultID, random: RandomPool()).check(self, by: integrity)
    }
}
