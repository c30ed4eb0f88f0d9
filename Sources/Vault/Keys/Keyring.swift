import Crypto
import Synchronization

/// The vault's keys, unwrapped: the fingerprint key, the data keys, which of them seals new values, and how many seals
/// are still set aside for it.
final class Keyring: Sendable {
    /// Makes fingerprints; never changes, because every stored fingerprint depends on it.
    let fingerprints: HMACSHA256
    /// How a data key's retirement is decided.
    let policy: KeyPolicy

    private struct State {
        var master: MasterKey
        var keys: [Int64: DataKey]
        var active: DataKey
        var budget: Int64
    }
    private let state: Mutex<State>

    /// Unwraps what a store has. Throws `wrongMasterKey`, or `corrupt` if a key is missing.
    init(_ wrapped: [WrappedKey], master: MasterKey, policy: KeyPolicy) throws(VaultError) {
        var keys: [Int64: DataKey] = [:]
        var fingerprints: HMACSHA256?
        for key in wrapped {
            var bytes = try KeyEnvelope.unwrap(key, under: master)
            defer { SecureWipe.wipe(&bytes) }
            switch key.purpose {
            case .data: keys[key.id] = try crypto(try DataKey(id: key.id, createdAt: key.createdAt, key: bytes))
            case .fingerprint: fingerprints = try crypto(try HMACSHA256(key: bytes))
            }
        }
        guard let fingerprints, let newest = keys.keys.max(), let active = keys[newest] else {
            throw .corrupt("the vault's keys are missing")
        }
        self.fingerprints = fingerprints
        self.policy = policy
        // What an earlier run had set aside may have been used by it: nothing of that is used again.
        state = Mutex(State(master: master, keys: keys, active: active, budget: 0))
    }

    /// The key that seals new values.
    var active: DataKey { state.withLock { $0.active } }

    /// The key that wraps the others.
    var master: MasterKey { state.withLock { $0.master } }

    /// The key with this number. Throws `corrupt` if there is none.
    func key(_ id: Int64) throws(VaultError) -> DataKey {
        guard let key = state.withLock({ $0.keys[id] }) else { throw .corrupt("there is no data key \(id)") }
        return key
    }

    /// Takes seals out of what was set aside; `false` if more must be set aside first, or the key is too old.
    func spend(_ uses: Int64, now: Int64) -> Bool {
        state.withLock { state in
            guard state.budget >= uses, !policy.isTooOld(state.active.createdAt, now: now) else { return false }
            state.budget -= uses
            return true
        }
    }

    /// Takes over a key with seals that were set aside under it in the store.
    func adopt(_ reservation: KeyMaintenance.Reservation) throws(VaultError) {
        let adopted = try dataKey(of: reservation)
        state.withLock { state in
            state.keys[adopted.id] = adopted
            if adopted.id > state.active.id {
                state.active = adopted
                state.budget = reservation.granted
            } else if adopted.id == state.active.id {
                state.budget += reservation.granted
            }
        }
    }

    private func dataKey(of reservation: KeyMaintenance.Reservation) throws(VaultError) -> DataKey {
        if let made = reservation.made { return made }
        let wrapped = reservation.key
        let (known, master) = state.withLock { ($0.keys[wrapped.id], $0.master) }
        if let known { return known }
        var bytes = try Self.unwrap(wrapped, under: master)
        defer { SecureWipe.wipe(&bytes) }
        return try crypto(try DataKey(id: wrapped.id, createdAt: wrapped.createdAt, key: bytes))
    }

    /// Whether all of these keys are known.
    func holds(_ ids: some Sequence<Int64>) -> Bool {
        state.withLock { state in ids.allSatisfy { state.keys[$0] != nil } }
    }

    /// Takes over data keys that another process has made. If one of them is newer than the active one it takes its place; seals
    /// are still to be set aside under it. Throws `unavailable` if they are wrapped under another master key.
    func learn(_ wrapped: [WrappedKey]) throws(VaultError) {
        let (known, master) = state.withLock { ($0.keys, $0.master) }
        var learned: [DataKey] = []
        for key in wrapped where key.purpose == .data && known[key.id] == nil {
            var bytes = try Self.unwrap(key, under: master)
            defer { SecureWipe.wipe(&bytes) }
            learned.append(try crypto(try DataKey(id: key.id, createdAt: key.createdAt, key: bytes)))
        }
        guard !learned.isEmpty else { return }
        state.withLock { state in
            for key in learned {
                state.keys[key.id] = key
                if key.id > state.active.id {
                    state.active = key
                    state.budget = 0
                }
            }
        }
    }

    /// A key that another process has made since this one was started.
    private static func unwrap(_ key: WrappedKey, under master: MasterKey) throws(VaultError) -> [UInt8] {
        do { return try KeyEnvelope.unwrap(key, under: master) } catch .wrongMasterKey {
            throw .unavailable("another process has put another master key in place: restart this one with it")
        }
    }

    /// Puts another master key in place, once the store has all keys wrapped under it.
    func replaceMaster(_ master: MasterKey) {
        state.withLock { $0.master = master }
    }

    /// Forgets a key that seals nothing any more.
    func remove(_ id: Int64) {
        state.withLock { state in
            if state.active.id != id { state.keys[id] = nil }
        }
    }
}
