import Crypto
import Synchronization

/// The vault's keys, unwrapped: the data keys and the fingerprint keys, which of them are used for new values, and how many
/// seals are still allotted.
///
/// A value sealed under a data key has its fingerprint under the newest fingerprint key that is older than the data key. So a new
/// fingerprint key always comes with a new data key, and a value that is sealed again gets a new fingerprint.
final class Keyring: Sendable {
    /// The keys that new values are sealed and found by.
    struct Active: Sendable {
        let data: DataKey
        let fingerprint: FingerprintKey
    }

    /// Wraps and unwraps.
    let envelope: KeyEnvelope
    /// Makes the tags of aliases; never changes, because every alias's tag depends on it.
    let integrity: IntegrityKeys
    /// For volatile values that several processes share.
    let sharedVolatile: SharedVolatileKeys
    /// When a data key is retired.
    let policy: KeyPolicy

    private struct State {
        var masters: MasterKeys
        var keys: [Int64: DataKey]
        /// Oldest first.
        var fingerprints: [FingerprintKey]
        let roots: [RootKey: KeyBytes]
        var active: Active
        /// Seals allotted under the active data key and not made yet.
        var budget: Int64
    }
    private let state: Mutex<State>

    /// Unwraps what a store has. Throws `wrongMasterKey`, or `corrupt` if a key is missing or its row was changed.
    init(
        _ records: [KeyRecord], _ envelope: KeyEnvelope, master: MasterKey, policy: KeyPolicy
    ) throws(VaultError) {
        var opened = OpenedKeys()
        for record in records { try opened.add(record, envelope, master) }
        guard let integrity = opened.integrity, let sharedVolatile = opened.sharedVolatile,
            opened.roots.count == RootKey.allCases.count, let active = Self.active(opened.data, opened.fingerprints)
        else { throw .corrupt("the vault's keys are missing") }
        self.envelope = envelope
        self.integrity = integrity
        self.sharedVolatile = sharedVolatile
        self.policy = policy
        // What an earlier run had been allotted may have been used by it: nothing of that is used again.
        state = Mutex(
            State(
                masters: MasterKeys(current: master), keys: opened.data, fingerprints: opened.fingerprints,
                roots: opened.roots, active: active, budget: 0))
    }

    /// The newest data key with the fingerprint key that belongs to it.
    private static func active(_ keys: [Int64: DataKey], _ fingerprints: [FingerprintKey]) -> Active? {
        guard let newest = keys.keys.max(), let data = keys[newest],
            let fingerprint = fingerprints.last(where: { $0.id < newest })
        else { return nil }
        return Active(data: data, fingerprint: fingerprint)
    }

    // MARK: Looking

    /// The keys for new values.
    var active: Active { state.withLock { $0.active } }

    /// Fingerprint keys that values of older data keys may still be found by, newest first.
    var olderFingerprints: [FingerprintKey] {
        state.withLock { state in
            guard state.fingerprints.count > 1 else { return [] }
            return state.fingerprints.reversed().filter { $0.id < state.active.fingerprint.id }
        }
    }

    /// The keys that wrap the others.
    var masters: MasterKeys { state.withLock { $0.masters } }

    /// A copy of a key for another use than values.
    func root(_ key: RootKey) -> [UInt8] { state.withLock { $0.roots[key]?.copied() ?? [] } }

    /// The data key with this number; nil if there is none.
    func key(_ id: Int64) -> DataKey? { state.withLock { $0.keys[id] } }

    /// Whether all of these data keys are known.
    func holds(_ ids: some Sequence<Int64>) -> Bool {
        state.withLock { state in ids.allSatisfy { state.keys[$0] != nil } }
    }

    // MARK: Seals

    /// Uses up some of the allotted seals; `false` if more must be allotted first, or the key is too old.
    func spend(_ uses: Int64, now: Int64) -> Bool {
        state.withLock { state in
            guard state.budget >= uses, !policy.isTooOld(state.active.data.createdAt, now: now) else { return false }
            state.budget -= uses
            return true
        }
    }

    // MARK: Changes

    /// Adds what was allotted in the store, and the keys that were made for it.
    func adopt(_ allotment: KeyMaintenance.Allotment) {
        state.withLock { state in
            state.keys[allotment.key.id] = allotment.key
            if let made = allotment.fingerprint { state.fingerprints.append(made) }
            let isActive = allotment.key.id == state.active.data.id
            if let active = Self.active(state.keys, state.fingerprints) { state.active = active }
            if allotment.key.id == state.active.data.id {
                state.budget = isActive ? state.budget + allotment.granted : allotment.granted
            }
        }
    }

    /// Adds the keys that another process has made. If a data key is newer than the active one it becomes the active one, with no
    /// seals allotted yet. Throws `unavailable` if they are wrapped under another master key.
    func learn(_ records: [KeyRecord]) throws(VaultError) {
        let (known, fingerprints, master) = state.withLock {
            ($0.keys, Set($0.fingerprints.map(\.id)), $0.masters.current)
        }
        var learned = OpenedKeys()
        for record in records where known[record.id] == nil && !fingerprints.contains(record.id) {
            guard record.purpose == .data || record.purpose == .fingerprint else { continue }
            do { try learned.add(record, envelope, master) } catch .wrongMasterKey {
                throw .unavailable("another process has put another master key in place: restart this one with it")
            }
        }
        guard !learned.data.isEmpty || !learned.fingerprints.isEmpty else { return }
        state.withLock { state in
            state.keys.merge(learned.data) { known, _ in known }
            state.fingerprints = (state.fingerprints + learned.fingerprints).sorted { $0.id < $1.id }
            guard let active = Self.active(state.keys, state.fingerprints), active.data.id > state.active.data.id else {
                return
            }
            state.active = active
            state.budget = 0
        }
    }

    /// Notes the master key that is to follow, once the store has all keys wrapped under it too; nil if none is.
    func prepare(for next: MasterKey?) {
        state.withLock { $0.masters.next = next }
    }

    /// Forgets a key that no record depends on any more.
    func remove(_ id: Int64) {
        state.withLock { state in
            if state.active.data.id != id { state.keys[id] = nil }
            if state.active.fingerprint.id != id { state.fingerprints.removeAll { $0.id == id } }
        }
    }
}

/// Keys as they come out of their records.
private struct OpenedKeys {
    var data: [Int64: DataKey] = [:]
    var fingerprints: [FingerprintKey] = []
    var roots: [RootKey: KeyBytes] = [:]
    var integrity: IntegrityKeys?
    var sharedVolatile: SharedVolatileKeys?

    mutating func add(_ record: KeyRecord, _ envelope: KeyEnvelope, _ master: MasterKey) throws(VaultError) {
        var (key, _) = try envelope.open(record, under: master)
        defer { SecureWipe.wipe(&key) }
        do throws(CryptoError) {
            switch record.purpose {
            case .data:
                data[record.id] = try DataKey(id: record.id, createdAt: record.createdAt, root: key, envelope)
            case .fingerprint: fingerprints.append(try FingerprintKey(id: record.id, root: key, envelope))
            case .integrity:
                integrity = try IntegrityKeys(root: key, envelope)
                sharedVolatile = try SharedVolatileKeys(root: key, envelope)
            case .audit: roots[.audit] = try KeyBytes(key)
            case .operations: roots[.operations] = try KeyBytes(key)
            case .responses: roots[.responses] = try KeyBytes(key)
            }
        } catch { throw VaultError(error) }
    }
}
