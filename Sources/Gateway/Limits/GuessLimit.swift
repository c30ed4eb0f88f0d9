import Access
import AuditLog
import Sensitive
import Vault

/// Keeps a caller from finding the hidden digits of aliases by trying values (`docs/reference/access.md` section 4).
final class GuessLimit: Sendable {
    /// Counts what callers try. Processes of a shared vault exchange its reports.
    let counter: GuessCounter
    /// The vault's, which all processes go by that exchange guesses.
    private let clock: VaultClock
    private let audit: AuditLog
    private let telemetry: Telemetry
    private let refused = Counter()

    init(_ counter: GuessCounter, clock: VaultClock, telemetry: Telemetry, audit: AuditLog) {
        self.counter = counter
        self.clock = clock
        self.telemetry = telemetry
        self.audit = audit
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Counts what the items try, and throws `tooManyGuesses` if that is too much.
    ///
    /// Not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.
    /// - Parameter ofEveryFormat: whether numbers are counted in formats too that show none of their digits.
    @inline(never)
    func refuse(
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
            do { verdict = try counter.submit(text.exposed, for: patterns, by: callers, at: .now(by: clock)) } catch {
                throw .internalError
            }
            guard case .refused(let wait, let isFirst) = verdict else { continue }
            refused.add()
            if isFirst { try audit.requireRecord(of: AuditEvent(.guess, .forbidden, of: call, by: caller)) }
            telemetry.warnOncePerMinute("a caller tries values for the hidden digits of an alias (vault.guessing)")
            throw .tooManyGuesses(retryAfter: wait)
        }
    }

    private func write(into text: inout MetricsText) {
        text.single(
            "cloakroom_refused_guesses_total", .counter, "Requests refused because their caller tries values.",
            refused.value)
        text.single(
            "cloakroom_dropped_guess_reports_total", .counter,
            "Guesses that other processes were not told of.", counter.droppedReports)
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
