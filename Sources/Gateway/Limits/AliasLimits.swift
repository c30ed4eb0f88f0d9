import Access
import AuditLog
import Sensitive
import Synchronization
import Vault

/// What keeps one caller from using up what all share when aliases are created, and from finding values by trying them
/// (`docs/reference/access.md` section 4).
final class AliasLimits: Sendable {
    /// Counts what callers try. Processes of a shared vault exchange its reports.
    let guesses: GuessCounter
    private let places: Shares
    /// Seconds that a volatile value lives.
    private let lifetime: Int64
    /// Places that volatile values take in all, where other processes have some too.
    private let stored: @Sendable () -> Int?
    /// Drops volatile aliases that have ended, and with them their places.
    private let dropEnded: @Sendable () -> Void
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let refusedGuesses = Counter()
    private let spaces = SpaceShares()
    private let spaceRefusals = Counter()
    private let clock: VaultClock
    /// Seconds over which the persistent aliases of a narrow space are counted for a caller.
    private static let day: Int64 = 86_400

    /// - Parameters:
    ///   - capacity: `vault.volatile.maxEntries`.
    ///   - lifetime: `vault.volatile.ttl`, in seconds.
    ///   - stored: places that volatile values take in all; nil if no other process has any of them.
    ///   - clock: the vault's, which all processes go by that exchange guesses.
    ///   - dropEnded: has the vault drop what has ended, with its places.
    init(
        guesses: GuessCounter, capacity: Int, lifetime: Int64, clock: VaultClock, telemetry: Telemetry, audit: AuditLog,
        stored: @escaping @Sendable () -> Int?, dropEnded: @escaping @Sendable () -> Void
    ) {
        self.guesses = guesses
        places = Shares(capacity: capacity)
        self.lifetime = lifetime
        self.clock = clock
        self.stored = stored
        self.dropEnded = dropEnded
        self.telemetry = telemetry
        self.audit = audit
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Refuses what one caller may not have, before anything is looked up or created.
    ///
    /// - Parameters:
    ///   - volatileReferences: aliases of VOLATILE values to which items refer.
    ///   - recognizes: whether a value that comes again is recognised: its alias, or its age, tells that it is known.
    /// - Returns: the places of VOLATILE items, to be kept by the vault with their aliases; nil for the other items. A place that is
    ///   dropped is free again.
    func admit(
        _ items: [VaultItem], volatileReferences: Set<String> = [], recognizes: Bool, by caller: Caller,
        _ call: Call
    ) throws(CallError) -> [VolatilePlaces?] {
        // A caller that may reveal every value gains nothing by guessing.
        try refuseGuesses(items, ofEveryFormat: recognizes && !caller.revealsAll, by: caller, call)
        var held: [VolatilePlace] = []
        return try places(for: items, volatileReferences, by: caller, from: &held)
    }

    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    @inline(never)
    private func refuseGuesses(
        _ items: [VaultItem], ofEveryFormat: Bool, by caller: Caller, _ call: Call
    ) throws(CallError) {
        var keys: [CallerKey]?
        for item in items {
            guard case .value(let text, let format, _, let storage, _) = item else { continue }
            var patterns = GuessPattern(format, text).map { [$0] } ?? []
            // Whatever the format: otherwise each format that keeps digits would give a caller as many tries again.
            if ofEveryFormat, storage == .persistent, let number = GuessPattern(ofNumber: text), patterns != [number] {
                patterns.append(number)
            }
            guard !patterns.isEmpty else { continue }
            let callers = keys ?? caller.guessKeys
            keys = callers
            let verdict: GuessCounter.Verdict
            do { verdict = try guesses.submit(text.exposed, for: patterns, by: callers, at: .now(by: clock)) } catch {
                throw .internalError
            }
            guard case .refused(let wait, let isFirst) = verdict else { continue }
            refusedGuesses.add()
            if isFirst { try audit.requireRecord(of: AuditEvent(.guess, .forbidden, of: call, by: caller)) }
            telemetry.warnOncePerMinute("a caller tries values for the hidden digits of an alias (vault.guessing)")
            throw .tooManyGuesses(retryAfter: wait)
        }
    }

    /// Places for so many volatile values that are yet to come, held as long as what is returned.
    func hold(_ count: Int, for caller: Caller) throws(CallError) -> [VolatilePlace] {
        guard count > 0 else { return [] }
        dropEnded()
        let end = try claim(count, for: caller.holder, lifetime, at: SystemClock.monotonicMilliseconds)
        return (0..<count).map { _ in VolatilePlace(1, of: places, caller.holder, until: end) }
    }

    /// The places of VOLATILE items, as ``admit(_:volatileReferences:recognizes:by:_:)`` returns them, for values that no caller submits.
    /// Not inlined, as above.
    ///
    /// - Parameter held: places that the caller holds already, which are taken out of it first.
    @inline(never)
    func places(
        for items: [VaultItem], _ volatileReferences: Set<String> = [], by caller: Caller,
        from held: inout [VolatilePlace]
    ) throws(CallError) -> [VolatilePlaces?] {
        guard items.contains(where: { $0.isVolatile(volatileReferences) }) else { return [] }
        let holder = caller.holder
        // Before places are claimed: a refusal ends here, and a caller that comes back after `Retry-After` must find expired places free.
        dropEnded()
        let now = SystemClock.monotonicMilliseconds
        var taken: [VolatilePlaces?] = []
        for item in items {
            guard item.isVolatile(volatileReferences) else {
                taken.append(nil)
                continue
            }
            let life = item.life(atMost: lifetime)
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

    /// Whether the caller may have aliases of narrow formats that are almost used up, and change values that it sends again, to be asked by
    /// the vault.
    ///
    /// - Parameter givesClassifiers: whether the caller names the classifiers of what it stores.
    func admission(for caller: Caller, givesClassifiers: Bool = false) -> AliasAdmission {
        let permissions = caller.permissions
        let reaches = { @Sendable (classifiers: [String]) in permissions.reaches(classifiers: classifiers) }
        return AliasAdmission(givesClassifiers: givesClassifiers, reaches: reaches) { [self] space in
            let now = SystemClock.monotonicMilliseconds / 1_000
            let outcome = spaces.claim(
                in: space.id, of: space.size, used: space.used, for: caller.holder,
                window: space.storage == .volatile ? lifetime : Self.day, at: now)
            guard case .refused(let wait) = outcome else { return nil }
            spaceRefusals.add()
            return wait
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
        text.single(
            "cloakroom_alias_share_refusals_total", .counter,
            "Requests refused because their caller's share of a narrow format's aliases was used up.",
            spaceRefusals.value)
        text.single(
            "cloakroom_refused_guesses_total", .counter, "Requests refused because their caller tries values.",
            refusedGuesses.value)
        text.single(
            "cloakroom_dropped_guess_reports_total", .counter,
            "Guesses that other processes were not told of.", guesses.droppedReports)
    }
}

/// What a VOLATILE value and one alias of it take of their caller's share: one place for the alias, the rest for as long as the value lives.
struct VolatilePlaces: Sendable {
    let ofAlias: VolatilePlace
    let further: FurtherPlaces?
    /// In monotonic milliseconds.
    let end: Int64
}

/// Places in a caller's share. They are given back when the last reference to it goes.
final class VolatilePlace: Sendable {
    private let count: Int
    private let shares: Shares
    private let holder: Shares.Holder
    private let end: Mutex<Int64>

    init(_ count: Int, of shares: Shares, _ holder: Shares.Holder, until end: Int64) {
        self.count = count
        self.shares = shares
        self.holder = holder
        self.end = Mutex(end)
    }

    /// Notes that the places come free later, in monotonic milliseconds.
    func postpone(until later: Int64) {
        end.withLock { end in
            shares.postpone(count, holder, from: end, until: later)
            end = later
        }
    }

    deinit { shares.release(holder, count, until: end.withLock { $0 }) }
}

extension VaultItem {
    /// Seconds that its value lives: no longer than the vault's volatile values, nor than it says itself.
    fileprivate func life(atMost lifetime: Int64) -> Int64 {
        guard case .value(_, _, _, _, let end?) = self else { return lifetime }
        return min(lifetime, max(0, end - SystemClock.seconds))
    }

    fileprivate func isVolatile(_ references: Set<String>) -> Bool {
        switch self {
        case .value(_, _, _, let storage, _): storage == .volatile
        case .reference(let alias, _, _): references.contains(alias)
        }
    }
}

extension Caller {
    /// Whether it may see every value anyway. A page's session may not, whatever its credential may.
    fileprivate var revealsAll: Bool {
        if case .session(let session) = identity, session.form != nil { return false }
        return permissions.scopes.contains(.revealAliases) && permissions.classifiers == nil
    }
}

extension GuessPattern {
    /// Of a card number or a social security number, whatever its own format: what an alias of the usual format would show of it. Nil for
    /// other texts.
    fileprivate init?(ofNumber value: SensitiveText) {
        guard let pattern = GuessPattern(.fpeSixTFour, value) ?? GuessPattern(.fpeSSNTFour, value) else { return nil }
        self = pattern
    }

    /// Nil if an alias of the format shows no digit of the value.
    fileprivate init?(_ format: AliasFormat, _ value: SensitiveText) {
        // Text that ends alike, such as mail addresses, is not what is protected here, and honest callers have much of it.
        guard let kept = format.keptCharacters(of: value.exposed),
            kept.utf8.contains(where: { (0x30...0x39).contains($0) })
        else { return nil }
        self.init(format: format.rawValue, length: value.exposed.utf8.count, kept: kept)
    }
}
