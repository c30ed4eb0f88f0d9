import Access
import Vault

/// What callers have of the storage for VOLATILE values: a share each, so that one cannot use up what all need
/// (`docs/reference/access.md` section 4).
final class VolatileShares: Sendable {
    private let places: Shares
    /// Seconds that a volatile value lives.
    private let lifetime: Int64
    /// The vault's, by which values have their ends.
    private let clock: VaultClock
    /// Places that volatile values take in all, where other processes have some too.
    private let stored: @Sendable () -> Int?
    /// Drops volatile aliases that have ended, and with them their places.
    private let dropEnded: @Sendable () -> Void
    private let telemetry: Telemetry

    /// - Parameters:
    ///   - capacity: `vault.volatile.maxEntries`.
    ///   - lifetime: `vault.volatile.ttl`, in seconds.
    ///   - clock: the vault's, by which values have their ends.
    ///   - stored: places that volatile values take in all; nil if no other process has any of them.
    ///   - dropEnded: has the vault drop what has ended, with its places.
    init(
        capacity: Int, lifetime: Int64, clock: VaultClock, telemetry: Telemetry,
        stored: @escaping @Sendable () -> Int?, dropEnded: @escaping @Sendable () -> Void
    ) {
        places = Shares(capacity: capacity)
        self.lifetime = lifetime
        self.clock = clock
        self.stored = stored
        self.dropEnded = dropEnded
        self.telemetry = telemetry
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Places for so many volatile values that are yet to come, held as long as what is returned.
    func hold(_ count: Int, for caller: Caller) throws(CallError) -> [VolatilePlace] {
        guard count > 0 else { return [] }
        dropEnded()
        let end = try claim(count, for: caller.holder, lifetime, at: SystemClock.monotonicMilliseconds)
        return (0..<count).map { _ in VolatilePlace(1, of: places, caller.holder, until: end) }
    }

    /// The places of VOLATILE items, to be kept by the vault with their aliases; nil for the other items. A place that is dropped is free again.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    ///
    /// - Parameters:
    ///   - references: aliases of VOLATILE values to which items refer.
    ///   - held: places that the caller holds already, which are taken out of it first.
    @inline(never)
    func places(
        for items: [VaultItem], references: Set<String> = [], by caller: Caller, from held: inout [VolatilePlace]
    ) throws(CallError) -> [VolatilePlaces?] {
        guard items.contains(where: { $0.isVolatile(references) }) else { return [] }
        let holder = caller.holder
        // Before places are claimed: a refusal ends here, and a caller that comes back after `Retry-After` must find expired places free.
        dropEnded()
        let now = SystemClock.monotonicMilliseconds
        var taken: [VolatilePlaces?] = []
        for item in items {
            guard item.isVolatile(references) else {
                taken.append(nil)
                continue
            }
            let life = item.life(atMost: lifetime, now: clock.unixSeconds())
            taken.append(try places(beside: item.furtherPlaces, of: holder, for: life, at: now, from: &held))
        }
        return taken
    }

    /// Places that a volatile value takes beside those that it has; nil for none.
    func furtherPlaces(_ count: Int, by caller: Caller) throws(CallError) -> FurtherPlaces? {
        guard count > 0 else { return nil }
        dropEnded()
        let end = try claim(count, for: caller.holder, lifetime, at: SystemClock.monotonicMilliseconds)
        return FurtherPlaces(VolatilePlace(count, of: places, caller.holder, until: end), count: count)
    }

    /// Places of the holder's share for an alias and its value, which live for so many seconds.
    ///
    /// - Parameter further: those that the value takes beside that of the alias.
    private func places(
        beside further: Int, of holder: Shares.Holder, for life: Int64, at now: Int64, from held: inout [VolatilePlace]
    ) throws(CallError) -> VolatilePlaces {
        let known = held.last
        let new = further + (known == nil ? 1 : 0)
        let end = new > 0 ? try claim(new, for: holder, life, at: now) : now + life * 1_000
        let ofAlias = known ?? VolatilePlace(1, of: places, holder, until: end)
        if known != nil {
            held.removeLast()
            ofAlias.postpone(until: end)
        }
        guard further > 0 else { return VolatilePlaces(ofAlias: ofAlias, further: nil, end: end) }
        let place = VolatilePlace(further, of: places, holder, until: end)
        return VolatilePlaces(ofAlias: ofAlias, further: FurtherPlaces(place, count: further), end: end)
    }

    /// Takes places for so many seconds. Returns until when, in monotonic milliseconds.
    private func claim(
        _ count: Int, for holder: Shares.Holder, _ life: Int64, at now: Int64
    ) throws(CallError) -> Int64 {
        let end = now + life * 1_000
        switch places.claim(count, for: holder, until: end, at: now, stored: stored()) {
        case .granted: return end
        case .refused where !places.isPossible(count, for: holder):
            throw .malformed("a VOLATILE value of this size takes \(count) places, more than a caller may have of all")
        case .refused(let wait):
            telemetry.warnOncePerMinute("a caller has used up its share of the volatile storage")
            throw .volatileShareUsed(retryAfter: wait)
        }
    }

    /// Keeps each place for as long as its alias, or its value, lives; where another process may end that, for as long as it may live.
    func keep(_ places: [VolatilePlaces?], with aliases: [String?], in vault: Vault) {
        if places.isEmpty { return }
        let now = SystemClock.monotonicMilliseconds
        for case (let places?, let alias?) in zip(places, aliases) {
            vault.keep(
                places.ofAlias, and: places.further, withVolatile: alias, for: (places.end - now + 999) / 1_000)
        }
    }

    private func write(into text: inout MetricsText) {
        let usage = places.usage
        text.single(
            "cloakroom_volatile_places", .gauge,
            "Places of VOLATILE values that callers hold, in all processes that share them.",
            max(usage.used, stored() ?? 0))
        text.single("cloakroom_volatile_places_limit", .gauge, "All such places.", usage.capacity)
        text.single(
            "cloakroom_volatile_refusals_total", .counter, "Requests refused because their caller's share was used up.",
            usage.refusals)
    }
}

extension VaultItem {
    /// Seconds that its value lives: no longer than the vault's volatile values, nor than it says itself.
    fileprivate func life(atMost lifetime: Int64, now: Int64) -> Int64 {
        guard case .value(_, _, _, _, let end?) = self else { return lifetime }
        return min(lifetime, max(0, end - now))
    }

    fileprivate func isVolatile(_ references: Set<String>) -> Bool {
        switch self {
        case .value(_, _, _, let storage, _): storage == .volatile
        case .reference(let alias, _, _): references.contains(alias)
        }
    }
}
