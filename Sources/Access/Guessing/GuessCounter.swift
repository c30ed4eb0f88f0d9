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
/// Memory is bounded: 131,072 pairs of caller and pattern; those with the fewest guesses are forgotten first.
public final class GuessCounter: Sendable {
    /// The purpose ("info") of the derivation of the key.
    public static let purpose = Array("cloakroom guess digests v1".utf8)
    /// Seconds between two exchanges: what a caller can gain by going from process to process is what it tries in two of them.
    public static let exchangeInterval: Int64 = 5
    static let capacity = 1 << 17
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
        replaceLimit(limit, window: window)
    }

    /// Counts by another limit and window from now on; what was counted stays.
    ///
    /// - Parameters: as for ``init(key:limit:window:)``.
    public func replaceLimit(_ limit: Int, window: Int) {
        self.limit.store(min(max(limit, 1), 1_000), ordering: .relaxed)
        self.window.store(Int64(min(max(window, 1), 86_400)), ordering: .relaxed)
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
        var counted: [(entry: UInt64, value: UInt32)] = []
        counted.reserveCapacity(callers.count * patterns.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        for pattern in patterns {
            bytes.removeAll(keepingCapacity: true)
            // One digest for all callers; no caller's bytes begin with this letter.
            bytes.append(UInt8(ascii: "v"))
            pattern.append(to: &bytes)
            let digest = try UInt32(truncatingIfNeeded: hmac.code(prefix: bytes, message: value).leading128 >> 96)
            for caller in callers {
                bytes.removeAll(keepingCapacity: true)
                caller.append(to: &bytes)
                pattern.append(to: &bytes)
                counted.append((try hmac.code(for: bytes).leading64, digest))
            }
        }
        var refusal: Verdict?
        let (limit, window) = (limit.load(ordering: .relaxed), window.load(ordering: .relaxed))
        for (entry, digest) in counted {
            let verdict = entries.withExisting(entry) { entry in
                entry.window = window
                return entry.refusal(of: digest, limit: limit, at: now.monotonic)
            }
            if let verdict = verdict ?? nil, refusal == nil { refusal = verdict }
        }
        if let refusal { return refusal }
        for (entry, digest) in counted {
            // Another thread may have counted one since.
            if let verdict = count(entry, digest, limit, within: window, at: now) { return verdict }
        }
        return .allowed
    }

    /// Counts a value, unless the limit is reached: then why it is refused.
    private func count(
        _ key: UInt64, _ value: UInt32, _ limit: Int, within window: Int64, at now: Clocks
    ) -> Verdict? {
        let (added, refusal) = entries.withEntry(key, at: now.monotonic) { entry in
            entry.window = window
            if let refusal = entry.refusal(of: value, limit: limit, at: now.monotonic) {
                return ([GuessEntry.Observation](), Optional(refusal))
            }
            return (entry.add(value, at: now.monotonic), nil)
        }
        guard !added.isEmpty else { return refusal }
        let more = added.map { observation in
            GuessReport(entry: key, value: observation.value, at: now.unix - (now.monotonic - Int64(observation.at)))
        }
        reports.withLock { $0.add(more) }
        return nil
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
            entries.withEntry(report.entry, at: now.monotonic) { entry in
                entry.window = window
                entry.merge(report.value, at: now.monotonic - age)
            }
        }
    }

    /// Reports that were dropped because no exchange took them: a counter.
    public var droppedReports: Int { reports.withLock { $0.dropped } }
}

extension AuthenticationCode {
    fileprivate var leading64: UInt64 { UInt64(truncatingIfNeeded: leading128 >> 64) }
}

extension [UInt8] {
    /// Appends a text with its length before it.
    fileprivate mutating func appendText(_ text: String) {
        append(bigEndian: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension HMACSHA256 {
    fileprivate func code(for message: [UInt8]) throws(CryptoError) -> AuthenticationCode {
        try code(prefix: message, message: "")
    }
}

extension CallerKey {
    /// Appends unambiguous bytes, the same in all processes.
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .address(let address):
            bytes.append(UInt8(ascii: "a"))
            bytes.append(bigEndian: address.high)
            bytes.append(bigEndian: address.low)
        case .credential(let name):
            bytes.append(UInt8(ascii: "c"))
            bytes.appendText(name)
        case .session(let id):
            bytes.append(UInt8(ascii: "s"))
            bytes.append(contentsOf: id.bytes)
        case .token(let subject):
            bytes.append(UInt8(ascii: "t"))
            bytes.appendText(subject.issuer)
            bytes.appendText(subject.subject)
        }
    }
}
