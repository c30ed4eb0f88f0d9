import Crypto
import Sensitive

/// Makes rows of store format 3 out of those of format 2. A store first inserts `keys`, durably, and then replaces rows in batches of
/// any size and order; what was converted stays as it is, so that an interrupted upgrade goes on.
///
/// Every value is opened, which checks it, and sealed again under a new data key, with a new fingerprint. Audit log, operations and
/// names of responses keep the keys that format 2 derived for them: a log goes on under the key that it began with. Which alias
/// belonged to which value, format 2 did not bind: that is taken as it stands.
public struct FormatUpgrade: Sendable {
    /// What the store has when it is opened.
    public struct Source: Sendable {
        /// The 16 bytes that name the vault.
        public let vaultID: [UInt8]
        /// The keys of format 2.
        public let oldKeys: [OldKey]
        /// Those of format 3: empty, or all that `keys` was.
        public let keys: [KeyRecord]

        package init(vaultID: [UInt8], oldKeys: [OldKey], keys: [KeyRecord]) {
            self.vaultID = vaultID
            self.oldKeys = oldKeys
            self.keys = keys
        }
    }

    /// A key of format 2 by the columns of its row.
    public struct OldKey: Sendable {
        let id: Int64
        /// 1 for data, 2 for fingerprints.
        let purpose: Int64
        let wrapped: [UInt8]

        package init(id: Int64, purpose: Int64, wrapped: [UInt8]) {
            self.id = id
            self.purpose = purpose
            self.wrapped = wrapped
        }
    }

    /// A value of format 2 by the columns of its row.
    public struct OldValue: Sendable {
        package let id: Int64
        let hasFingerprint: Bool
        let keyID: Int64
        let sealed: [UInt8]
        let classifiers: [UInt8]?
        let createdAt: Int64

        package init(
            id: Int64, hasFingerprint: Bool, keyID: Int64, sealed: [UInt8], classifiers: [UInt8]?, createdAt: Int64
        ) {
            self.id = id
            self.hasFingerprint = hasFingerprint
            self.keyID = keyID
            self.sealed = sealed
            self.classifiers = classifiers
            self.createdAt = createdAt
        }
    }

    /// The keys of format 3, to be durable before the first row is converted.
    package let keys: [KeyRecord]

    private let vaultID: [UInt8]
    private let oldKeys: [Int64: AES256GCM]
    private let sealer: Sealer
    private let keyring: Keyring

    /// Throws `wrongMasterKey` or `corrupt` if the old keys cannot be unwrapped.
    init(
        _ source: Source, master: MasterKey, policy: KeyPolicy, random: RandomPool, now: Int64
    ) throws(VaultError) {
        guard source.vaultID.count == 16 else { throw .corrupt("the vault has no id") }
        vaultID = source.vaultID
        let envelope = KeyEnvelope(vaultID: source.vaultID)
        var data: [Int64: AES256GCM] = [:]
        var fingerprint: [UInt8] = []
        defer { SecureWipe.wipe(&fingerprint) }
        for old in source.oldKeys {
            var key = try Self.unwrap(old, under: master)
            defer { SecureWipe.wipe(&key) }
            if old.purpose == 1 {
                data[old.id] = try crypto(try AES256GCM(key: key))
            } else {
                // A copy of the bytes: the buffer of `key` is wiped.
                fingerprint = key.map(\.self)
            }
        }
        guard !fingerprint.isEmpty, !data.isEmpty else { throw .corrupt("the vault's keys are missing") }
        oldKeys = data
        if source.keys.isEmpty {
            keys = try Self.newKeys(source, fingerprint, envelope, master, random, now)
        } else {
            keys = source.keys
        }
        keyring = try Keyring(keys, envelope, master: master, policy: policy)
        sealer = Sealer(vaultID: source.vaultID, random: random)
    }

    /// The rows of a value and of its aliases, oldest first. A value that cannot be opened gets a row that cannot be opened
    /// either, so that its aliases are reported as damaged rather than as unknown.
    ///
    /// - Parameter isFree: whether no other value has this fingerprint, which must be unique. Two values of one text were not
    ///   written by a vault; the second is then found by its aliases alone.
    package func convert(
        _ old: OldValue, aliases: [Alias], isFree: (Fingerprint) throws(VaultError) -> Bool
    ) throws(VaultError) -> (value: ValueRecord, aliases: [AliasRecord]) {
        let key = keyring.active
        let classifiers = old.classifiers.map(ClassifierCoding.decode) ?? []
        var record = ValueRecord(
            id: old.id, binding: try sealer.newBinding(), fingerprint: nil, keyID: key.data.id, sealed: [],
            classifiers: classifiers ?? [], createdAt: old.createdAt, expiresAt: nil)
        if classifiers != nil, let text = open(old) {
            if old.hasFingerprint {
                let fingerprint = try sealer.fingerprint(text, by: key.fingerprint)
                if try isFree(fingerprint) { record.fingerprint = fingerprint }
            }
            try sealer.seal(text, into: &record, under: key.data)
        }
        var records: [AliasRecord] = []
        for alias in aliases {
            records.append(try sealer.record(alias, of: record.id, record.binding, by: keyring.integrity))
        }
        return (record, records)
    }

    /// The record of a response; nil if it cannot be opened.
    package func convert(_ old: ResponseRecord) throws(VaultError) -> ResponseRecord? {
        // The version of format 2's layout, and its number for responses.
        let data = [1, 3] + vaultID + old.name + old.keyID.bigEndianBytes
        guard let response = oldKeys[old.keyID]?.openBytes(old.sealed, authenticating: data) else { return nil }
        return try sealer.seal(
            response: response, name: old.name, expiresAt: old.expiresAt, under: keyring.active.data)
    }

    private func open(_ old: OldValue) -> SensitiveText? {
        // The version of format 2's layout, and its number for persistent values.
        let data = [1, 1] + vaultID + old.id.bigEndianBytes + old.keyID.bigEndianBytes
        return oldKeys[old.keyID]?.open(old.sealed, authenticating: data).map { SensitiveText($0) }
    }

    /// Format 2 wrapped purpose, id and key.
    private static func unwrap(_ old: OldKey, under master: MasterKey) throws(VaultError) -> [UInt8] {
        guard var secret = master.wrap.unwrap(old.wrapped) else { throw .wrongMasterKey }
        defer { SecureWipe.wipe(&secret) }
        let header = [UInt8(truncatingIfNeeded: old.purpose)] + old.id.bigEndianBytes
        guard secret.count == header.count + KeyEnvelope.keySize, secret.starts(with: header) else {
            throw .corrupt("key \(old.id) is not the key that was stored under this number")
        }
        return Array(secret.dropFirst(header.count))
    }

    /// Random ones, but for the uses that format 2 derived from the fingerprint key, which are kept. They are numbered behind those
    /// of format 2.
    private static func newKeys(
        _ source: Source, _ fingerprint: [UInt8], _ envelope: KeyEnvelope, _ master: MasterKey, _ random: RandomPool,
        _ now: Int64
    ) throws(VaultError) -> [KeyRecord] {
        let derivation = try crypto(try HMACSHA256(key: fingerprint))
        var id = source.oldKeys.map(\.id).max() ?? 0
        var records: [KeyRecord] = []
        for purpose in KeyMaintenance.purposes {
            id += 1
            var key: [UInt8]
            if let name = oldName(of: purpose) {
                key = try crypto(try derivation.code(for: Array(name.utf8) + source.vaultID))
            } else {
                key = try crypto(try random.bytes(KeyEnvelope.keySize))
            }
            defer { SecureWipe.wipe(&key) }
            records.append(
                try envelope.record(of: key, id: id, purpose, createdAt: now, under: MasterKeys(current: master)))
        }
        return records
    }

    /// What format 2 derived the key from.
    private static func oldName(of purpose: KeyRecord.Purpose) -> String? {
        switch purpose {
        case .audit: "cloakroom/key/audit/1"
        case .operations: "cloakroom/key/operations/1"
        case .responses: "cloakroom/key/answers/1"
        case .data, .fingerprint, .integrity: nil
        }
    }
}
