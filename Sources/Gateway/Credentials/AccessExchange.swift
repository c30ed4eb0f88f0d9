import Access
import Synchronization
import Vault

/// Exchanges what the processes of a shared vault must agree on about callers: sessions that were ended early, every half second,
/// and guesses, every five seconds. With a vault of its own a process reads both once, at its start, and only writes afterwards.
final class AccessExchange: Sendable {
    private struct Readings {
        var endings: Int64?
        var guesses: Int64?
    }

    private let vault: Vault
    private let ended: EndedSessions
    private let guesses: GuessCounter?
    private let telemetry: Telemetry
    private let readings = Mutex(Readings())
    private let running = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter guesses: nil where guesses are not counted.
    init(_ vault: Vault, ended: EndedSessions, guesses: GuessCounter?, telemetry: Telemetry) {
        self.vault = vault
        self.ended = ended
        self.guesses = guesses
        self.telemetry = telemetry
    }

    /// Reads all there is. To be called before requests are served: until then no session is taken.
    func readAll() async throws(VaultError) {
        try await readEndings()
        try await readGuesses()
    }

    /// Exchanges from now on, until ``stop()``.
    func start() {
        let task = Task { [self] in
            var due = GuessCounter.exchangeInterval * 1_000
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(EndedSessions.interval))
                if Task.isCancelled { return }
                due -= EndedSessions.interval
                await exchange(guesses: due <= 0)
                if due <= 0 { due = GuessCounter.exchangeInterval * 1_000 }
            }
        }
        running.withLock { $0 = task }
    }

    /// Ends the exchange, and writes the guesses that were not written yet.
    func stop() async {
        let task = running.withLock { running in
            defer { running = nil }
            return running
        }
        task?.cancel()
        await task?.value
        try? await writeGuesses()
    }

    /// What cannot be read or written now is tried again at the next time. After too long without a successful reading `EndedSessions`
    /// reports sessions as unknown, and they are refused.
    private func exchange(guesses: Bool) async {
        do {
            if vault.isShared { try await readEndings() }
            guard guesses else { return }
            try await writeGuesses()
            if vault.isShared { try await readGuesses() }
        } catch { telemetry.recordVaultFailure(error) }
    }

    private func readEndings() async throws(VaultError) {
        let began = SystemClock.monotonicMilliseconds
        let since = readings.withLock { $0.endings }
        let (endings, damaged, readAt) = try await vault.endings(since: since, at: SystemClock.steadySeconds)
        if !damaged.isEmpty {
            telemetry.warnOncePerMinute("rows about ended sessions are damaged: their sessions count as ended")
        }
        ended.merge(endings + damaged, at: vault.isShared ? began : EndedSessions.neverStale)
        readings.withLock { $0.endings = readAt }
    }

    private func readGuesses() async throws(VaultError) {
        guard let guesses else { return }
        let (reports, readAt) = try await vault.guesses(since: readings.withLock { $0.guesses })
        guesses.merge(reports, at: .now(by: vault.configuration.clock))
        readings.withLock { $0.guesses = readAt }
    }

    private func writeGuesses() async throws(VaultError) {
        guard let guesses else { return }
        while true {
            let reports = guesses.takeReports()
            if reports.isEmpty { return }
            do {
                try await vault.record(
                    reports, forgottenAt: vault.configuration.clock.unixSeconds() + GuessCounter.longestWindow)
            } catch {
                guesses.putBack(reports)
                throw error
            }
        }
    }
}

extension GuessCounter.Clocks {
    /// Both clocks now; the time of day by the vault's, as processes share it.
    static func now(by clock: VaultClock) -> Self {
        Self(monotonic: SystemClock.monotonicMilliseconds / 1_000, unix: clock.unixSeconds())
    }
}
