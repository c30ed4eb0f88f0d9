public import Configuration
import EventIO
import FormSchema
import Glibc
import Logging
import Vault

/// Runs a gateway until a signal stops it: SIGTERM and SIGINT stop it, SIGHUP makes it read its configuration again. Tells the
/// service manager about all of that.
///
/// `@unchecked Sendable` is sound because all mutable state is used on the control loop's thread only, which starts after `init`.
public final class Service: @unchecked Sendable {
    private let gateway: Gateway
    private let control: EventLoop
    private let read: @Sendable (_ running: Configuration) -> LoadedConfiguration
    private let manager = ServiceManager()
    private let watchdog: Watchdog?
    private let stopped: AsyncStream<Bool>
    private let stop: AsyncStream<Bool>.Continuation
    private var sources: [SignalSource] = []
    /// They work again and again, for as long as the process runs.
    private var timers: [Timer] = []
    private var isStopping = false
    private var isReloadDue = false
    private var lastReload: Task<ReloadReport, Never>?

    /// - Parameter read: reads the configuration again, as it was read at the start, for a process that runs with another one.
    public init(
        _ gateway: Gateway, read: @escaping @Sendable (_ running: Configuration) -> LoadedConfiguration
    ) throws(StartError) {
        self.gateway = gateway
        self.read = read
        watchdog = Watchdog(manager, loops: gateway.loops)
        (stopped, stop) = AsyncStream.makeStream()
        do {
            control = try EventLoop(name: "control")
            for signal in [SIGTERM, SIGINT] {
                sources.append(try SignalSource(signal, on: control) { [weak self] in self?.end() })
            }
            sources.append(try SignalSource(SIGHUP, on: control) { [weak self] in self?.reload() })
            try control.start()
        } catch {
            throw StartError("cannot handle signals: \(error)")
        }
        control.execute { [self] in
            startTimers()
            watchdog?.start(on: control)
        }
        gateway.onReload { [weak self] person in await self?.reloadNow(by: person) ?? ReloadReport(.refused) }
    }

    /// Tells the service manager that the gateway listens. Called once it does.
    public func announceReady() { manager.notify(.ready) }

    /// Returns when a signal has stopped the gateway and its requests have finished: whether all events are in the audit log.
    public func waitUntilStopped() async -> Bool {
        for await isRecorded in stopped { return isRecorded }
        return true
    }

    private func startTimers() {
        // Expired volatile values are unknown at once; sweeping frees their memory.
        every(.seconds(15)) { $0.gateway.sweep() }
        every(AuditAnchoring.interval) { service in
            let gateway = service.gateway
            Task { await gateway.anchorAudit() }
        }
        // Once a day the warnings of the configuration are in the log again: what expires within thirty days now did not when the process
        // started.
        every(.seconds(86_400)) { $0.gateway.warn(of: $0.read($0.gateway.configuration)) }
    }

    private func every(_ interval: Duration, _ work: @escaping (Service) -> Void) {
        let place = timers.count
        let timer = Timer(on: control) { [weak self] in
            guard let self else { return }
            work(self)
            timers[place].schedule(after: interval)
        }
        timers.append(timer)
        timer.schedule(after: interval)
    }

    /// The second signal ends the process at once.
    private func end() {
        guard !isStopping else { exit(1) }
        isStopping = true
        manager.notify(.stopping(seconds: gateway.longestStop))
        Task {
            stop.yield(await gateway.drain())
            stop.finish()
        }
    }

    /// Signals that arrive before the reload runs are one reload. A stopping process does not reload.
    private func reload() {
        guard !isReloadDue else { return }
        isReloadDue = true
        control.execute { [self] in
            isReloadDue = false
            if !isStopping { _ = readAgain(by: "SIGHUP") }
        }
    }

    /// For a caller that waits for the report.
    private func reloadNow(by person: String) async -> ReloadReport {
        let reload = await withCheckedContinuation { continuation in
            control.execute { [self] in continuation.resume(returning: isStopping ? nil : readAgain(by: person)) }
        }
        return await reload?.value ?? ReloadReport(.refused, mistakes: ["the process is stopping"])
    }

    /// Reads the configuration again once the reload before has ended.
    private func readAgain(by person: String) -> Task<ReloadReport, Never> {
        let reload = Task(executorPreference: control) { [self, before = lastReload] in
            _ = await before?.value
            manager.notify(.reloading)
            let report = await gateway.reload(read(gateway.configuration), by: person)
            manager.notify(.ready)
            return report
        }
        lastReload = reload
        return reload
    }
}
