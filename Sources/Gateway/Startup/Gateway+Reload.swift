import Access
import AuditLog
import Configuration
import Crypto
import EventHTTP
import EventIO
import Logging

extension Gateway {
    /// Goes on with a configuration that was read again: all of it, or, if anything is wrong with it, nothing. Requests under way end on
    /// what they began with. To be called by one task at a time.
    ///
    /// - Parameter person: who asked for it, for the audit log.
    func reload(_ loaded: LoadedConfiguration, by person: String) async -> ReloadReport {
        let keysWereLocked = KeyMemory.isLocked
        let report = await carryOut(loaded)
        reloads.add(report)
        if keysWereLocked, !KeyMemory.isLocked { warnOfUnlockedMemory() }
        for mistake in report.mistakes { logger.error("\(mistake)") }
        warn(of: loaded)
        switch report.outcome {
        case .taken: logger.info("configuration read again", metadata: ["taken": "\(report.taken)"])
        case .partlyNeedsRestart:
            logger.warning(
                "configuration read again; some of it needs a restart",
                metadata: ["taken": "\(report.taken)", "needsRestart": "\(report.needsRestart)"])
        case .refused:
            logger.error("configuration read again and refused; all of the old one stays in use")
        }
        // Nothing depends on the record, and a failing log is reported elsewhere.
        try? audit.record(report.event(by: person))
        return report
    }

    func warn(of loaded: LoadedConfiguration) {
        for warning in loaded.warnings { logger.warning("\(warning)") }
    }

    private func carryOut(_ loaded: LoadedConfiguration) async -> ReloadReport {
        let old = configuration
        let (new, change): (Configuration, ConfigurationChange)
        let outcome: ReloadReport.Outcome
        switch old.reloading(loaded) {
        case .refused(let mistakes): return ReloadReport(.refused, mistakes: mistakes.map { "\($0)" })
        case .taken(let configuration, let keys): (outcome, new, change) = (.taken, configuration, keys)
        case .partlyNeedsRestart(let configuration, let keys):
            (outcome, new, change) = (.partlyNeedsRestart, configuration, keys)
        }
        do throws(StartError) { try await use(new, change) } catch {
            return ReloadReport(.refused, mistakes: ["\(error)"])
        }
        return ReloadReport(outcome, taken: change.taken, needsRestart: change.needsRestart)
    }

    /// Makes everything that can fail first.
    private func use(_ new: Configuration, _ change: ConfigurationChange) async throws(StartError) {
        var parts = self.parts
        if change.taken.contains("routes") {
            parts.forwarder = try Self.forwarder(
                new, following: (parts.forwarder, new.routes(sameAs: configuration)), client: client,
                telemetry: telemetry)
        }
        if change.taken.contains("auth") {
            parts.providers = try IdentityProviders(
                new.auth, client: client, following: parts.providers, telemetry: telemetry)
        }
        parts.limits = RequestLimits(new.server.rateLimit, new.credentials, following: parts.limits)
        parts.authenticator = try Self.authenticator(
            new, parts.secrets, parts.limits, sessions: parts.sessions, parts.providers, audit, telemetry: telemetry)
        let made = try routers(new, parts, counts: routers.map(\.counts))
        var context: TLSServerContext?
        if let files = new.server.tls, change.taken.contains("server.tls") {
            do { context = try Self.context(files) } catch { throw StartError("server.tls: \(error)") }
        }
        parts.takeOver(telemetry)
        if change.taken.contains("credentials") { parts.secrets.failed.noteOtherCredentials() }
        for (router, new) in zip(routers, made) { router.replace(new) }
        if let context {
            await server.replaceTLS(context, hasOtherAuthority: configuration.hasOtherClientAuthority(than: new))
        }
        let guessing = new.vault.guessing
        parts.aliasLimits.guesses.counter.replaceLimit(
            guessing.limit, window: Int(guessing.window.components.seconds))
        server.replaceLimits(Self.limits(new.server), Self.timeouts(new.server))
        telemetry.replaceLevel(new.log.level)
        replace(new, parts)
    }
}
