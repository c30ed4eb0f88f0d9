import Crypto
import Synchronization

/// The vault's keys, unwrapped: the data keys and the fingerprint keys, which of them are used for new values, and how many
/// seals are still allotted.
///
/// A value sealed under a data key has its fingerprint under the newest fingerprint key that is older than the data key. So a new
/// fingerprint key always comes with a new data key, and a value that is sealed again gets a new fingerprint.
///
/// A process that does not know a fingerprint key finds nothing by it, and would store an equal value a second time. So where several
/// share a store, a new one, with its data key, is known for `lingering` seconds before any of them uses it: values are found by it from
/// the first moment, and stored by it once all know it.
final class Keyring: Sendable {
    /// The keys that new values are sealed and found by.
    struct Active: Sendable {
        let data: DataKey
        let fingerprint: FingerprintKey
        /// From when on processes use them: Unix seconds.
        let since: Int64
    }

    /// Wraps and unwraps.
    let envelope: KeyEnvelope
    /// Makes the tags of aliases; never changes, because every alias's tag depends on it.
    let integrity: IntegrityKeys
    /// For volatile values that several processes share.
    let sharedVolatile: SharedVolatileKeys
    /// When a data key is retired.
    let policy: KeyPolicy
    /// Seconds until all processes know a new key; 0 where there is one process.
    private let lingering: Int64
    private let clock: VaultClock

    private struct State {
        var masters: MasterKeys
        var keys: [Int64: DataKey]
        /// Oldest first.
        var fingerprints: [FingerprintKey]
        let roots: [RootKey: KeyBytes]
        var active: Active
        /// Whether there is a newer data key, which is not used yet.
        var hasNewer = false
        /// Seals allotted under the active data key and not made yet.
        var budget: Int64
        var uses = KeyUses()
        /// Whether a process could not have started on the store, when it was last looked at, or not with the active data key.
        var isForeign = false
    }
    private let state: Mutex<State>

    /// Unwraps what a store has. Throws `wrongMasterKey`, or `corrupt` if a key is missing or its row was changed.
    init(
        _ records: [KeyRecord], _ envelope: KeyEnvelope, master: MasterKey, policy: KeyPolicy,
        lingering: Int64 = 0, clock: VaultClock = .system
    ) throws(VaultError) {
        var opened = OpenedKeys()
        for record in records { try opened.add(record, envelope, master) }
        guard let integrity = opened.integrity, let sharedVolatile = opened.sharedVolatile,
            opened.roots.count == RootKey.allCases.count,
            let active = Self.active(opened.data, opened.fingerprints, lingering, now: clock.unixSeconds())
        else { throw .corrupt("the vault's keys are missing") }
        self.envelope = envelope
        self.integrity = integrity
        self.sharedVolatile = sharedVolatile
        self.policy = policy
        self.lingering = lingering
        self.clock = clock
        // What an earlier run had been allotted may have been used by it: nothing of that is used again.
        state = Mutex(
            State(
                masters: MasterKeys(current: master), keys: opened.data, fingerprints: opened.fingerprints,
                roots: opened.roots, active: active, hasNewer: opened.data.keys.contains { $0 > active.data.id },
                budget: 0))
    }

    /// The newest data key that is used, with the fingerprint key that belongs to it. The first fingerprint key is used from the start.
    private static func active(
        _ keys: [Int64: DataKey], _ fingerprints: [FingerprintKey], _ lingering: Int64, now: Int64
    ) -> Active? {
        for data in keys.values.sorted(by: { $0.id > $1.id }) {
            guard let fingerprint = fingerprints.last(where: { $0.id < data.id }) else { continue }
            let isFirst = fingerprint.id == fingerprints.first?.id
            let since = isFirst ? data.createdAt : max(data.createdAt, fingerprint.createdAt + lingering)
            if isFirst || lingering == 0 || since <= now {
                return Active(data: data, fingerprint: fingerprint, since: since)
            }
        }
        return nil
    }

    /// Uses the newest data key that may be used. No seals are allotted yet under one that was not used before.
    private func settle(_ state: inout State) {
        guard let active = Self.active(state.keys, state.fingerprints, lingering, now: clock.unixSeconds()) else {
            return
        }
        if active.data.id != state.active.data.id { state.budget = 0 }
        state.active = active
        state.hasNewer = state.keys.keys.contains { $0 > active.data.id }
    }

    // MARK: Looking

    /// The keys for new values.
    var active: Active {
        state.withLock { state in
            if state.hasNewer { settle(&state) }
            return state.active
        }
    }

    /// Whether new fingerprint keys are not used at once.
    var waits: Bool { lingering > 0 }

    /// When a newer data key that is known will be used: Unix seconds; nil if there is none.
    var nextSince: Int64? {
        let active = active
        return state.withLock { state in
            guard state.hasNewer, let next = state.fingerprints.last, next.id > active.fingerprint.id else {
                return nil
            }
            return next.createdAt + lingering
        }
    }

    /// Fingerprint keys that values may be found by beside the active one, newest first: those of older data keys, and one that other
    /// processes may use a moment earlier.
    var otherFingerprints: [FingerprintKey] {
        state.withLock { state in
            guard state.fingerprints.count > 1 else { return [] }
            return state.fingerprints.reversed().filter { $0.id != state.active.fingerprint.id }
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
            if state.hasNewer { settle(&state) }
            guard !state.isForeign, state.budget >= uses, !policy.isTooOld(state.active.data.createdAt, now: now) else {
                return false
            }
            state.budget -= uses
            return true
        }
    }

    // MARK: Changes

    /// Adds what was allotted in the store, and the keys that were made for it.
    func adopt(_ allotment: KeyMaintenance.Allotment) {
        state.withLock { state in
            state.keys[allotment.key.id] = allotment.key
            add(allotment.fingerprint.map { [$0] } ?? [], to: &state)
            settle(&state)
            if allotment.key.id == state.active.data.id { state.budget += allotment.granted }
        }
    }

    /// Fingerprint keys that another thread may have added meanwhile are added once.
    private func add(_ fingerprints: [FingerprintKey], to state: inout State) {
        let known = Set(state.fingerprints.map(\.id))
        state.fingerprints = (state.fingerprints + fingerprints.filter { !known.contains($0.id) })
            .sorted { $0.id < $1.id }
    }

    /// Adds the keys that another process has made, and makes sure that a start would find all keys that it needs and could open every row.
    /// Throws `unavailable` if the active data key is missing: the database was restored to an older state, or exchanged for another; and
    /// `corrupt` if other rows are missing or changed. What were sealed could not be read after a restart, so ``spend(_:now:)`` allows no
    /// seal until a later look finds all rows as they should be.
    ///
    /// - Parameter records: all of the store's.
    func follow(_ records: [KeyRecord]) throws(VaultError) {
        do throws(VaultError) {
            try learn(records)
            try requireOpenable(records)
            state.withLock { $0.isForeign = false }
        } catch {
            // Under another master key than this process has, the keys are there.
            let isForeign = error != Self.anotherMaster
            state.withLock { $0.isForeign = isForeign }
            throw error
        }
    }

    private static let anotherMaster = VaultError.unavailable(
        "another process has put another master key in place: restart this one with it")

    /// Throws if a process could not start with these rows. All of them may be wrapped under another master key than this process holds,
    /// once that has been changed.
    private func requireOpenable(_ records: [KeyRecord]) throws(VaultError) {
        let (active, master) = state.withLock { ($0.active, $0.masters.current) }
        // Another key of the same number has another tag.
        guard let record = records.first(where: { $0.id == active.data.id }),
            (try? active.data.metadata.check(record)) != nil
        else {
            if let record = records.first(where: { $0.id == active.data.id }) { _ = try isOpenable(record, master) }
            throw .unavailable("the database holds another vault, or an older state of this one: restart this process")
        }
        let purposes = Set(records.map(\.purpose))
        guard KeyRecord.Purpose.allCases.allSatisfy(purposes.contains),
            records.contains(where: { $0.id == active.fingerprint.id })
        else { throw .corrupt("the vault's keys are missing") }
        var opened = 0
        for record in records where try isOpenable(record, master) { opened += 1 }
        guard opened == 0 || opened == records.count else { throw .corrupt("rows of keys were changed") }
    }

    /// False if the row is wrapped under another master key. Throws `corrupt` if it was changed.
    private func isOpenable(_ record: KeyRecord, _ master: MasterKey) throws(VaultError) -> Bool {
        do throws(VaultError) {
            var (root, _) = try envelope.open(record, under: master)
            SecureWipe.wipe(&root)
            return true
        } catch .wrongMasterKey { return false }
    }

    /// Adds the keys that another process has made. Throws `unavailable` if they are wrapped under another master key.
    func learn(_ records: [KeyRecord]) throws(VaultError) {
        let (known, fingerprints, master) = state.withLock {
            ($0.keys, Set($0.fingerprints.map(\.id)), $0.masters.current)
        }
        var learned = OpenedKeys()
        for record in records where known[record.id] == nil && !fingerprints.contains(record.id) {
            guard record.purpose == .data || record.purpose == .fingerprint else { continue }
            do { try learned.add(record, envelope, master) } catch .wrongMasterKey {
                throw Self.anotherMaster
            }
        }
        guard !learned.data.isEmpty || !learned.fingerprints.isEmpty else { return }
        state.withLock { state in
            state.keys.merge(learned.data) { known, _ in known }
            add(learned.fingerprints, to: &state)
            settle(&state)
        }
    }

    /// Notes the master key that is to follow, once the store has all keys wrapped under it too; nil if none is.
    func prepare(for next: MasterKey?) {
        state.withLock { $0.masters.next = next }
    }

    /// Begins a call that opens what it reads: data keys that are removed meanwhile stay until it ends (``endUse(_:)``).
    func beginUse() -> Int { state.withLock { $0.uses.begin() } }

    /// Ends such a call.
    ///
    /// - Parameter use: what its beginning returned.
    func endUse(_ use: Int) {
        state.withLock { state in
            for gone in state.uses.end(use) { state.keys[gone] = nil }
        }
    }

    /// Forgets a key that no record depends on any more: a data key with the end of the calls that are under way.
    func remove(_ id: Int64) {
        state.withLock { state in
            if state.active.data.id != id { for gone in state.uses.remove(id) { state.keys[gone] = nil } }
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
            case .fingerprint:
                fingerprints.append(
                    try FingerprintKey(id: record.id, createdAt: record.createdAt, root: key, envelope))
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
