import Synchronization

/// Slows down those who try secrets (`docs/reference/access.md` section 4, PCI DSS 8.3.4).
///
/// Failed tries are counted by client address and by the name that was tried. After the first few an address must
/// wait before its next try is looked at, twice as long each time. A name that is tried from many addresses makes
/// each address that has used up its own free tries wait as long as the name has earned: an attacker with a thousand addresses gets six
/// tries from each, and then long waits. What others did takes no free try from an address, so that a right secret from elsewhere never
/// waits for them; and a secret that was right from an address lately is looked at whatever else fails there,
/// so that one badly configured program does not lock out its neighbour.
///
/// The same wrong secret from the same address is no new try: a program that was given a wrong secret keeps sending it,
/// and learns each time what it learnt first.
///
/// Memory is bounded by four tables; an entry is forgotten an hour after its last failure and wait.
public final class FailedSecrets: Sendable {
    /// Failures of an address for which it does not wait, whatever others did.
    static let freeByAddress: Int32 = 5
    /// Tries of a name, from all addresses, before it adds to the waits.
    static let freeByName: Int32 = 20
    /// Milliseconds of the first wait.
    static let firstWait: Int64 = 1_000
    /// Milliseconds of the longest wait: 15 minutes.
    static let longestWait: Int64 = 900_000
    /// Milliseconds after which failures are forgotten, counted from the end of the last wait.
    static let memory: Int64 = 3_600_000
    /// Milliseconds for which an address is known to hold a secret.
    static let trust: Int64 = 86_400_000

    fileprivate struct Failures: TableEntry {
        var count: Int32 = 0
        var until: Int64 = .min

        func weight(at now: Int64) -> Int64 {
            guard count > 0 else { return 0 }
            return max(until + FailedSecrets.memory - now, 0)
        }
    }

    private struct Success: TableEntry {
        var until: Int64 = .min

        func weight(at now: Int64) -> Int64 { until > now ? until - now : 0 }
    }

    /// Whether a salted hash was fitted by a secret from this address within the last day, of whatever credential: then a new secret
    /// from it is likely to be right as well.
    public func isTrusted(_ client: ClientAddress, at now: Int64) -> Bool {
        known.withExisting(BoundedTable<Success>.hash(client.subscriber)) { $0.until > now } ?? false
    }

    /// Notes that a secret from this address has fitted a salted hash.
    public func recordTrust(_ client: ClientAddress, at now: Int64) {
        known.withEntry(BoundedTable<Success>.hash(client.subscriber), at: now) { $0.until = now + Self.trust }
    }

    private struct Known: Hashable {
        let address: ClientAddress
        let secret: [UInt8]
        /// Which credentials it was held against.
        var generation = 0
    }

    /// Other credentials are in use: a secret that was wrong may be right now. How many were wrong is not forgotten.
    public func noteOtherCredentials() { generation.add(1, ordering: .relaxed) }

    private func wrongKey(_ client: ClientAddress, _ secret: [UInt8]) -> UInt64 {
        BoundedTable<Success>.hash(
            Known(address: client.subscriber, secret: secret, generation: generation.load(ordering: .relaxed)))
    }

    private let generation = Atomic(0)

    private let addresses = BoundedTable(capacity: 1 << 17, vacant: Failures())
    private let names = BoundedTable(capacity: 1 << 14, vacant: Failures())
    private let known = BoundedTable(capacity: 1 << 14, vacant: Success())
    private let wrong = BoundedTable(capacity: 1 << 14, vacant: Success())

    /// No failures yet.
    public init() {}

    /// Seconds that the address must wait before a secret from it is looked at; nil if it need not.
    ///
    /// - Parameters:
    ///   - secret: a keyed digest of the secret, with the name if one was given; never the secret.
    ///   - now: monotonic milliseconds.
    public func wait(of client: ClientAddress, presenting secret: [UInt8], at now: Int64) -> Int? {
        let client = client.subscriber
        let key = BoundedTable<Failures>.hash(client)
        let until = addresses.withExisting(key) { $0.until } ?? .min
        guard until > now else { return nil }
        let success = BoundedTable<Success>.hash(Known(address: client, secret: secret))
        if let trusted = known.withExisting(success, { $0.until }), trusted > now { return nil }
        return max(1, Int((until - now + 999) / 1_000))
    }

    /// Whether this secret was wrong from this address within the last hour. Then it need neither be looked at nor counted.
    public func isKnownWrong(from client: ClientAddress, presenting secret: [UInt8], at now: Int64) -> Bool {
        wrong.withExisting(wrongKey(client, secret)) { $0.until > now } ?? false
    }

    /// Wrong secrets of the address that are not forgotten yet.
    public func failures(of client: ClientAddress, at now: Int64) -> Int {
        addresses.withExisting(BoundedTable<Failures>.hash(client.subscriber)) {
            $0.weight(at: now) > 0 ? Int($0.count) : 0
        } ?? 0
    }

    /// Counts a wrong secret.
    ///
    /// - Parameter name: the user of HTTP Basic or the client of the token endpoint; nil for a Bearer token.
    public func recordFailure(from client: ClientAddress, name: String?, at now: Int64) {
        var wait: Int64 = 0
        if let name {
            wait = names.withEntry(BoundedTable<Failures>.hash(name), at: now) {
                $0.add(at: now, free: Self.freeByName)
            }
        }
        addresses.withEntry(BoundedTable<Failures>.hash(client.subscriber), at: now) {
            let own = $0.add(at: now, free: Self.freeByAddress)
            if $0.count > Self.freeByAddress { $0.until = max($0.until, now + max(own, wait)) }
        }
    }

    /// Remembers that a secret was wrong, without counting it.
    ///
    /// - Returns: whether it was not known to be: then it is a new try. One that is presented twice at once is new once.
    public func remember(wrong secret: [UInt8], from client: ClientAddress, at now: Int64) -> Bool {
        wrong.withEntry(wrongKey(client, secret), at: now) { entry in
            let isKnown = entry.until > now
            entry.until = now + Self.memory
            return !isKnown
        }
    }

    /// Notes that a secret was right: the same secret from the same address is not kept waiting for a day. Failures
    /// of the address stay: otherwise one right secret would pay for any number of wrong ones.
    public func recordSuccess(from client: ClientAddress, secret: [UInt8], at now: Int64) {
        let key = BoundedTable<Success>.hash(Known(address: client.subscriber, secret: secret))
        known.withEntry(key, at: now) { $0.until = now + Self.trust }
    }
}

extension FailedSecrets.Failures {
    /// One more failure, and the milliseconds to wait for it.
    fileprivate mutating func add(at now: Int64, free: Int32) -> Int64 {
        if count > 0, weight(at: now) == 0 { count = 0 }
        count = min(count + 1, 1_000)
        until = max(until, now)
        guard count > free else { return 0 }
        let doublings = Int64(min(count - free - 1, 20))
        return min(FailedSecrets.firstWait << doublings, FailedSecrets.longestWait)
    }
}
