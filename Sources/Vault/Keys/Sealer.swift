import Crypto
import Sensitive

/// Binds everything that a store holds, so that a row that was changed, moved, duplicated or put under another id does not pass
/// for what this vault wrote (`docs/reference/vault-api.md` section 4, Integrity).
///
/// - A value is sealed with its id, binding, data key, fingerprint, classifiers, creation and expiry as associated data.
/// - An alias has a tag over its text, its format, and its value's id and binding.
/// - A response is sealed with its name and expiry.
/// - A row about a caller has a tag over all that it says (`Sealer+Access.swift`).
///
/// All of them name format, tenant and vault. Every read checks them: see `Vault+Checking.swift`. What this cannot show is that a
/// row is missing, or that a row and all that it depends on were put back as they once were: who can write to the database can
/// delete, deny service and roll back.
///
/// Nonces are hedged: each is the code, under a key of its own, of fresh random bytes, of the associated data and of the text. Two
/// clones of a machine's memory that draw the same random bytes make the same nonce only for the same message, where it tells
/// nothing but that it is the same.
struct Sealer: Sendable {
    /// There is one tenant today.
    private static let tenant: Int64 = 0
    private static let format: UInt8 = 3

    /// What a code or a seal covers, so that none passes for another.
    enum Kind: UInt8 {
        case persistentValue = 1
        case volatileValue = 2
        case response = 3
        case alias = 4
        case anchor = 5
        case fingerprint = 6
        case access = 7
        case sharedVolatileValue = 16
        case sharedVolatileAlias = 17
    }

    /// The 16 bytes that name the vault.
    let vaultID: [UInt8]
    let random: RandomPool

    /// A binding for a new value.
    func newBinding() throws(VaultError) -> Binding {
        try crypto(
            try random.draw { (block) throws(CryptoError) in
                Binding(bits: UInt128(try block.word()) << 64 | UInt128(try block.word()))
            })
    }

    // MARK: Values

    /// Seals `value` under `key` into the record, for all that the record says now.
    func seal(_ value: SensitiveText, into record: inout ValueRecord, under key: DataKey) throws(VaultError) {
        record.keyID = key.id
        let data = associatedData(record)
        let nonce = try nonce(data) { (prefix) throws(CryptoError) in
            try key.nonces.code(prefix: prefix, message: value.exposed)
        }
        record.sealed = try crypto(try key.cipher.seal(value.exposed, nonce: nonce, authenticating: data))
    }

    /// The value. Throws `damaged` if the record is not what was sealed.
    func open(_ record: ValueRecord, with key: DataKey?) throws(VaultError) -> SensitiveText {
        guard let key, let text = key.cipher.open(record.sealed, authenticating: associatedData(record)) else {
            throw .damaged(alias: nil)
        }
        return SensitiveText(text)
    }

    private func associatedData(_ record: ValueRecord) -> [UInt8] {
        var data = preamble(.persistentValue, capacity: 160)
        data.append(bigEndian: record.id)
        data.append(contentsOf: record.binding.bytes)
        data.append(bigEndian: record.keyID)
        data.append(bigEndian: record.createdAt)
        data.append(record.expiresAt == nil ? 0 : 1)
        data.append(bigEndian: record.expiresAt ?? 0)
        data.append(record.fingerprint == nil ? 0 : 1)
        if let fingerprint = record.fingerprint { data.append(contentsOf: fingerprint.bytes) }
        // Last, as the one part whose length varies without being said.
        data.append(contentsOf: ClassifierCoding.encode(record.classifiers))
        return data
    }

    /// Seals a value that lives in memory alone. Its row cannot be changed from outside: id and vault are enough.
    func seal(_ value: SensitiveText, volatile id: Int64, under key: DataKey) throws(VaultError) -> [UInt8] {
        let data = associatedData(volatile: id)
        let nonce = try nonce(data) { (prefix) throws(CryptoError) in
            try key.nonces.code(prefix: prefix, message: value.exposed)
        }
        return try crypto(try key.cipher.seal(value.exposed, nonce: nonce, authenticating: data))
    }

    /// The value that lives in memory alone.
    func open(_ sealed: [UInt8], volatile id: Int64, with key: DataKey) throws(VaultError) -> SensitiveText {
        guard let text = key.cipher.open(sealed, authenticating: associatedData(volatile: id)) else {
            throw .damaged(alias: nil)
        }
        return SensitiveText(text)
    }

    private func associatedData(volatile id: Int64) -> [UInt8] {
        var data = preamble(.volatileValue, capacity: 40)
        data.append(bigEndian: id)
        return data
    }

    // MARK: Fingerprints

    /// How an equal value is found.
    func fingerprint(_ value: SensitiveText, by key: FingerprintKey) throws(VaultError) -> Fingerprint {
        Fingerprint(
            try crypto(
                try key.code.code(prefix: preamble(.fingerprint, capacity: 26), message: value.exposed)))
    }

    // MARK: Aliases

    /// The record of a new alias.
    func record(
        _ alias: Alias, of value: Int64, _ binding: Binding, by keys: IntegrityKeys
    ) throws(VaultError) -> AliasRecord {
        AliasRecord(alias: alias, value: value, tag: try tag(alias, value, binding, keys))
    }

    /// Throws `damaged` unless this alias was made for the value with this id and binding.
    func check(
        _ record: AliasRecord, of value: Int64, _ binding: Binding, by keys: IntegrityKeys
    ) throws(VaultError) {
        guard record.value == value, try tag(record.alias, value, binding, keys).matches(record.tag) else {
            throw .damaged(alias: nil)
        }
    }

    private func tag(
        _ alias: Alias, _ value: Int64, _ binding: Binding, _ keys: IntegrityKeys
    ) throws(VaultError) -> RecordTag {
        var data = preamble(.alias, capacity: 51)
        data.append(bigEndian: value)
        data.append(contentsOf: binding.bytes)
        data.append(alias.format.code)
        return RecordTag(try crypto(try keys.aliases.code(prefix: data, message: alias.alias)))
    }

    // MARK: Responses

    /// Seals a response under the name and until the time of its record.
    func seal(
        response: [UInt8], name: [UInt8], expiresAt: Int64, under key: DataKey
    ) throws(VaultError) -> ResponseRecord {
        let data = associatedData(response: name, expiresAt, key.id)
        let nonce = try nonce(data) { (prefix) throws(CryptoError) in
            try key.nonces.code(prefix: prefix, message: response)
        }
        let sealed = try crypto(try key.cipher.seal(response, nonce: nonce, authenticating: data))
        return ResponseRecord(name: name, keyID: key.id, sealed: sealed, expiresAt: expiresAt)
    }

    /// The response. Throws `damaged` if the record is not what was sealed.
    func open(_ record: ResponseRecord, with key: DataKey?) throws(VaultError) -> [UInt8] {
        let data = associatedData(response: record.name, record.expiresAt, record.keyID)
        guard let key, let response = key.cipher.openBytes(record.sealed, authenticating: data) else {
            throw .damaged(alias: nil)
        }
        return response
    }

    private func associatedData(response name: [UInt8], _ expiresAt: Int64, _ keyID: Int64) -> [UInt8] {
        var data = preamble(.response, capacity: 80)
        data.append(bigEndian: keyID)
        data.append(bigEndian: expiresAt)
        data.append(contentsOf: name)
        return data
    }

    // MARK: The audit log's anchor

    /// The record of where the audit log stands.
    func anchor(
        log: Int64, sequence: Int64, code: [UInt8], by keys: IntegrityKeys
    ) throws(VaultError) -> AuditAnchor {
        AuditAnchor(log: log, sequence: sequence, code: code, tag: try tag(anchorOf: log, sequence, code, keys))
    }

    /// Throws `damaged` unless this vault wrote it.
    func check(_ anchor: AuditAnchor, by keys: IntegrityKeys) throws(VaultError) {
        guard try tag(anchorOf: anchor.log, anchor.sequence, anchor.code, keys).matches(anchor.tag) else {
            throw .damaged(alias: nil)
        }
    }

    private func tag(
        anchorOf log: Int64, _ sequence: Int64, _ code: [UInt8], _ keys: IntegrityKeys
    ) throws(VaultError) -> RecordTag {
        var data = preamble(.anchor, capacity: 42)
        data.append(bigEndian: log)
        data.append(bigEndian: sequence)
        return RecordTag(try crypto(try keys.anchor.code(prefix: data, message: code)))
    }

    // MARK: Parts

    func preamble(_ kind: Kind, capacity: Int) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(capacity)
        data.append(Self.format)
        data.append(kind.rawValue)
        data.append(bigEndian: Self.tenant)
        data.append(contentsOf: vaultID)
        return data
    }

    /// - Parameter code: makes the code of what it is given and the message, under the key's nonce key.
    func nonce(
        _ data: [UInt8], _ code: ([UInt8]) throws(CryptoError) -> AuthenticationCode
    ) throws(VaultError) -> [UInt8] {
        var prefix = try crypto(try random.bytes(32))
        prefix.append(bigEndian: Int64(data.count))
        prefix.append(contentsOf: data)
        return Array(try crypto(try code(prefix)).bytes.prefix(XAES256GCM.nonceSize))
    }
}
