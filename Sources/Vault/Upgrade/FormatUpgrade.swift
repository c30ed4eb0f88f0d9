import Crypto
import Sensitive

/// Makes rows of store format 3 out of those of format 2. A store first inserts `keys`, durably, and then replaces rows in batches of
/// any size and order; what was converted stays as it is, so that an interrupted upgrade goes on.
///
/// Every value is opened, which checks it, and sealed again under a new data key, with a new fingerprint. Audit log, operations and
/// names of responses keep the keys that format 2 derived for them: a log goes on under the key that it began with. Which alias
/// belonged to which value, format 2 did not bind: that is taken as it stands. What cannot be opened gets rows that cannot be opened
/// either: it stays known as damaged, and a response's name goes on being refused.
public struct FormatUpgrade: Sendable {
    /// What the store has when it is opened.
    public struct Source: Sendable {
        /// The 16 bytes that name the vault.
        public let vaultID: [UInt8]
        /// The keys of format 2.
        public let oldKeys: [OldKey]
        /// Those of format 3: empty, or all that `keys` was.
        public let keys: [KeyRecord]
        /// The ids of the keys that values of format 2 are sealed under; none once the conversion has begun.
        public let keysInUse: Set<Int64>

        package init(vaultID: [UInt8], oldKeys: [OldKey], keys: [KeyRecord], keysInUse: Set<Int64>) {
            self.vaultID = vaultID
            self.oldKeys = oldKeys
            self.keys = keys
            self.keysInUse = keysInUse
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

    /// An alias of format 2 by the columns of its row.
    public struct OldAlias: Sendable {
        package let alias: String
        /// Nil if no format ever had this number.
        let format: AliasFormat?

        package init(alias: String, format: Int64) {
            self.alias = alias
            self.format = UInt8(exactly: format).flatMap { AliasFormat(code: $0) }
        }
    }

    /// The keys of format 3, to be durable before the first row is converted.
    package let keys: [KeyRecord]

    private let vaultID: [UInt8]
    private let oldKeys: [Int64: AES256GCM]
    private let sealer: Sealer
    private let keyring: Keyring
    /// Counts what cannot be opened.
    private let counters: VaultCounters

    /// Throws `wrongMasterKey` if no old key can be unwrapped, `corrupt` if one can't or is missing: nothing was converted then, and what is
    /// missing can still be put back.
    init(
        _ source: Source, master: MasterKey, policy: KeyPolicy, random: RandomPool, now: Int64,
        counters: VaultCounters
    ) throws(VaultError) {
        guard source.vaultID.count == 16 else { throw .corrupt("the vault has no id") }
        vaultID = source.vaultID
        self.counters = counters
        let envelope = KeyEnvelope(vaultID: source.vaultID)
        var data: [Int64: AES256GCM] = [:]
        var fingerprint: [UInt8] = []
        defer { SecureWipe.wipe(&fingerprint) }
        let foreign = source.oldKeys.filter { !Self.isWrapped($0, under: master) }
        guard foreign.isEmpty || foreign.count == source.oldKeys.count else {
            throw .corrupt("key \(foreign[0].id) cannot be unwrapped, though others can")
        }
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
        if let missing = source.keysInUse.subtracting(data.keys).min() {
            throw .corrupt(
                "values are sealed under key \(missing), which the vault does not have: put its row back from a copy")
        }
        oldKeys = data
        if source.keys.isEmpty {
            keys = try Self.newKeys(source, fingerprint, envelope, master, random, now)
        } else {
            keys = source.keys
        }
        keyring = try Keyring(keys, envelope, master: master, policy: policy)
        sealer = Sealer(vaultID: source.vaultID, random: random)
    }

    /// The rows of a value and of its aliases, oldest first.
    ///
    /// - Parameter isFree: whether no other value has this fingerprint, which must be unique. Two values of one text were not
    ///   written by a vault; the second is then found by its aliases alone.
    package func convert(
        _ old: OldValue, aliases: [OldAlias], isFree: (Fingerprint) throws(VaultError) -> Bool
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
        } else {
            counters.foundDamage()
        }
        var records: [AliasRecord] = []
        for old in aliases {
            // One of a format that there never was reveals nothing, and must not take the value's others with it.
            guard let format = old.format else {
                counters.foundDamage()
                continue
            }
            let alias = Alias(alias: old.alias, format: format)
            records.append(try sealer.record(alias, of: record.id, record.binding, by: keyring.integrity))
        }
        return (record, records)
    }

    /// The record of a response.
    package func convert(_ old: ResponseRecord) throws(VaultError) -> ResponseRecord {
        // The version of format 2's layout, and its number for responses.
        let data = [1, 3] + vaultID + old.name + old.keyID.bigEndianBytes
        guard let response = oldKeys[old.keyID]?.openBytes(old.sealed, authenticating: data) else {
            counters.foundDamage()
            return ResponseRecord(
                name: old.name, keyID: keyring.active.data.id, sealed: [], expiresAt: old.expiresAt)
        }
        return try sealer.seal(
            response: response, name: old.name, expiresAt: old.expiresAt, under: keyring.active.data)
    }

    private func open(_ old: OldValue) -> SensitiveText? {
        // The version of format 2's layout, and its number for persistent values.
        let data = [1, 1] + vaultID + old.id.bigEndianBytes + old.keyID.bigEndianBytes
        return oldKeys[old.keyID]?.open(old.sealed, authenticating: data).map { SensitiveText($0) }
    }

    private static func isWrapped(_ old: OldKey, under master: MasterKey) -> Bool {
        guard var secret = master.wrap.unwrap(old.wrapped) else { return false }
        SecureWipe.wipe(&secret)
        return true
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
        guard id < Int64.max - Int64(KeyMaintenance.purposes.count) else { throw .corrupt("there is no key \(id)") }
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
