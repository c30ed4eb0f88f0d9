public import Crypto
import Synchronization

/// Stops the search for a value behind an alias that keeps digits of it: a caller that submits ever new values with
/// the same kept digits and compares the aliases that come back (`docs/reference/access.md` section 4).
///
/// For each caller and ``GuessPattern`` the distinct values of the last `window` are counted, over a sliding window,
/// up to `limit`. Values are kept as digests under a key that is derived from the vault's for this alone, so that
/// neither memory nor a report can be searched for card numbers. A value that the caller submitted before is no new
/// guess and is always allowed. A refused value is not counted: the wait ends when the oldest of the counted ones
/// leaves the window.
///
/// Processes of one shared vault agree by exchanging reports, at least every ``exchangeInterval``: each writes what
/// ``takeReports(_:)`` returns to the store and passes what the others wrote to ``merge(_:at:)``. Only callers with a
/// second value for a pattern are reported, which honest ones seldom have: so the exchange stays small, at the price
/// of one unreported guess a process.
///
/// A pair of caller and pattern is found by a hash of this process. Only reports need the digest that all processes
/// know it by: it is computed where one is written, and while any of others may still count.
///
/// Memory is bounded: 131,072 pairs, and as many that others reported; those with the fewest guesses are forgotten first.
public final class GuessCounter: Sendable {
    /// The purpose ("info") of the derivation of the key.
    public static let purpose = Array("cloakroom guess digests v1".utf8)
    /// Seconds between two exchanges: what a caller can gain by going from process to process is what it tries in two of them.
    public static let exchangeInterval: Int64 = 5
    static let capacity = 1 << 17
    /// Seconds of the longest window.
    public static let longestWindow: Int64 = 86_400
    /// Reports that wait for the next exchange; beyond that the oldest are dropped, and counted in ``droppedReports``.
    static let waitingReports = 20_000

    /// Both clocks: one that is never set back for the window, and the time of day, which processes share, for reports.
    public struct Clocks: Sendable {
        /// Monotonic seconds.
        public let monotonic: Int64
        /// Unix seconds.
        public let unix: Int64

        /// One moment by both clocks, in seconds.
        public init(monotonic: Int64, unix: Int64) {
            self.monotonic = monotonic
            self.unix = unix
        }
    }

    /// Whether a value may be tried.
    public enum Verdict: Sendable, Equatable {
        case allowed
        /// - Parameters:
        ///   - retryAfter: seconds until the caller may submit a new value for the pattern.
        ///   - isFirst: whether this is the first refusal since the caller was last allowed a new value: the one to
        ///     audit.
        case refused(retryAfter: Int, isFirst: Bool)
    }

    private let limit = Atomic(0)
    /// Seconds.
    private let window = Atomic<Int64>(0)
    private let hmac: HMACSHA256
    private let entries: BoundedTable<GuessEntry>
    /// What was reported of each pair, by other processes or an earlier one.
    private let reported: BoundedTable<GuessEntry>
    /// Monotonic seconds at which the last of these is out of any window.
    private let reportedUntil = Atomic(Int64.min)
    private let revisions = Atomic<UInt64>(0)
    private let reports = Mutex(Waiting())

    private struct Waiting {
        var reports: [GuessReport] = []
        var dropped = 0

        mutating func add(_ more: [GuessReport]) {
            reports += more
            let excess = reports.count - GuessCounter.waitingReports
            guard excess > 0 else { return }
            reports.removeFirst(excess)
            dropped += excess
        }
    }

    /// - Parameters:
    ///   - key: 32 bytes, derived under ``purpose``: the same for all processes of a vault.
    ///   - limit: distinct values in a window; 1 to 1,000.
    ///   - window: seconds; up to a day.
    public init(key: [UInt8], limit: Int = 20, window: Int = 3_600) throws(CryptoError) {
        guard key.count == 32 else { throw .unsuitableLength("guessing key") }
        hmac = try HMACSHA256(key: key)
        entries = BoundedTable(capacity: Self.capacity, vacant: GuessEntry())
        reported = BoundedTable(capacity: Self.capacity, vacant: GuessEntry())
        replaceLimit(limit, window: window)
    }

    /// Counts by another limit and window from now on; what was counted stays.
    ///
    /// - Parameters: as for ``init(key:limit:window:)``.
    public func replaceLimit(_ limit: Int, window: Int) {
        self.limit.store(min(max(limit, 1), 1_000), ordering: .relaxed)
        self.window.store(min(max(Int64(window), 1), Self.longestWindow), ordering: .relaxed)
    }

    /// Counts a value that a caller submits, before anything is looked up or created for it.
    ///
    /// - Parameters:
    ///   - value: the value as the vault would store it.
    ///   - patterns: the kept digits that the caller knows, or may learn, of the value that it looks for.
    ///   - callers: ``Caller/guessKeys``. If any of them has reached the limit for any of the patterns, nothing is counted.
    public func submit(
        _ value: String, for patterns: [GuessPattern], by callers: [CallerKey], at now: Clocks
    ) throws(CryptoError) -> Verdict {
        var guesses: [Guess] = []
        guesses.reserveCapacity(callers.count * patterns.count)
        for pattern in patterns {
            // One digest for all callers.
            let digest = try digest(of: value, for: pattern)
            for caller in callers { guesses.append(Guess(GuessPair(caller: caller, pattern: pattern), digest)) }
        }
        let (limit, window) = (limit.load(ordering: .relaxed), window.load(ordering: .relaxed))
        if now.monotonic < reportedUntil.load(ordering: .relaxed) {
            for guess in guesses { try countReported(guess, within: window, at: now.monotonic) }
        }
        var refusal: Verdict?
        for guess in guesses {
            let verdict = entries.withExisting(guess.entry) { entry in
                entry.window = window
                return entry.refusal(of: guess.value, limit: limit, at: now.monotonic)
            }
            if let verdict = verdict ?? nil, refusal == nil { refusal = verdict }
        }
        if let refusal { return refusal }
        for guess in guesses {
            // Another thread may have counted one since.
            if let verdict = try count(guess, limit, within: window, at: now) { return verdict }
        }
        return .allowed
    }

    /// One submission of a value: caller and pattern, the key of their entry, and the digest of the value.
    private struct Guess {
        let pair: GuessPair
        let entry: UInt64
        let value: UInt32

        init(_ pair: GuessPair, _ value: UInt32) {
            self.pair = pair
            self.value = value
            entry = BoundedTable<GuessEntry>.hash(pair)
        }
    }

    /// Counts a value, unless the limit is reached: then why it is refused.
    private func count(
        _ guess: Guess, _ limit: Int, within window: Int64, at now: Clocks
    ) throws(CryptoError) -> Verdict? {
        let (added, refusal) = entries.withEntry(guess.entry, at: now.monotonic) { entry in
            entry.window = window
            if let refusal = entry.refusal(of: guess.value, limit: limit, at: now.monotonic) {
                return ([GuessEntry.Observation](), Optional(refusal))
            }
            return (entry.add(guess.value, at: now.monotonic), nil)
        }
        guard !added.isEmpty else { return refusal }
        let key = try guess.pair.reportKey(hmac)
        let more = added.map { observation in
            GuessReport(entry: key, value: observation.value, at: now.unix - (now.monotonic - Int64(observation.at)))
        }
        reports.withLock { $0.add(more) }
        return nil
    }

    /// Counts with the pair what was reported of it.
    private func countReported(_ guess: Guess, within window: Int64, at now: Int64) throws(CryptoError) {
        let known = reported.withExisting(try guess.pair.reportKey(hmac)) { entry in
            entry.window = window
            return entry
        }
        guard let known else { return }
        entries.withEntry(guess.entry, at: now) { entry in
            entry.window = window
            entry.merge(known, at: now)
        }
    }

    private func digest(of value: String, for pattern: GuessPattern) throws(CryptoError) -> UInt32 {
        // No caller's bytes begin with this letter.
        var bytes = [UInt8(ascii: "v")]
        pattern.append(to: &bytes)
        return UInt32(truncatingIfNeeded: try hmac.code(prefix: bytes, message: value).leading128 >> 96)
    }

    /// Takes up to `count` reports for the other processes. Empty in most exchanges.
    public func takeReports(_ count: Int = 1_000) -> [GuessReport] {
        reports.withLock { waiting in
            let taken = Array(waiting.reports.prefix(count))
            waiting.reports.removeFirst(taken.count)
            return taken
        }
    }

    /// Gives back reports that could not be written, for the next exchange.
    public func putBack(_ taken: [GuessReport]) {
        reports.withLock { $0.add(taken) }
    }

    /// Counts what other processes report. A process's own reports do no harm. Times that lie in the future, because
    /// clocks differ or one was set, count as now.
    public func merge(_ reports: [GuessReport], at now: Clocks) {
        let window = window.load(ordering: .relaxed)
        for report in reports {
            let age = max(now.unix - report.at, 0)
            guard age < window else { continue }
            let revision = revisions.add(1, ordering: .relaxed).newValue
            reported.withEntry(report.entry, at: now.monotonic) { entry in
                entry.window = window
                entry.note(report.value, at: now.monotonic - age, revision: revision)
            }
            reportedUntil.max(now.monotonic - age + Self.longestWindow, ordering: .relaxed)
        }
    }

    /// Reports that were dropped because no exchange took them: a counter.
    public var droppedReports: Int { reports.withLock { $0.dropped } }
}
