/// Keys for other uses than values: each is random, wrapped by the master key, and used for this alone.
public enum RootKey: CaseIterable, Sendable {
    /// Chains the records of the audit log.
    case audit
    /// Proves to a running process that a command holds the master key.
    case operations
    /// Names the responses that are stored for repeatable requests.
    case responses

    var purpose: KeyRecord.Purpose {
        switch self {
        case .audit: .audit
        case .operations: .operations
        case .responses: .responses
        }
    }

    /// The 32 bytes of the key of a vault that is not opened, from what its store holds. Throws `wrongMasterKey` and `corrupt`.
    public func bytes(
        vaultID: [UInt8], keys: [KeyRecord], masterKey: MasterKey
    ) throws(VaultError) -> [UInt8] {
        guard let record = keys.last(where: { $0.purpose == purpose }) else {
            throw .corrupt("the vault's keys are missing")
        }
        return try KeyEnvelope(vaultID: vaultID).open(record, under: masterKey).key
    }
}
