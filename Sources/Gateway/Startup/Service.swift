public import Configuration
import EventIO
import FormSchema
import Glibc
import Logging
import Vault

/// A gateway under the control of signals: SIGTERM and SIGINT stop it, SIGHUP has it read its forms and certificate again.
///
/// `@unchecked Sendable` is sound because everything mutable belongs to the control loop's thread, which starts only after
/// `init`.
public final class Service: @unchecked Sendable {
    private let gateway: Gateway
    private let control: EventLoop
    private let reloader: FormReloader
    private let stopped: AsyncStream<Bool>
    private let stop: AsyncStream<Bool>.Continuation
    private var sources: [SignalSource] = []
    private var sweeper: Timer?
    private var isStopping = false
    private var isReloadDue = false

    public init(_ gateway: Gateway, _ configuration: Configuration) throws(StartError) {
        self.gateway = gateway
        reloader = FormReloader(configuration)
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
        control.execute { [self] in startSweeping() }
    }

    /// Returns when a signal has ended the gateway and all its requests are done: whether all that was done is in the audit log.
    public func waitUntilStopped() async -> Bool {
        for await isRecorded in stopped { return isRecorded }
        return true
    }

    /// Expired volatile values are unknown at once; this gives their memory back.
    private func startSweeping() {
        let interval = Duration.seconds(15)
        let timer = Timer(on: control) { [weak self] in
            guard let self else { return }
            let gateway = gateway
            Task { await gateway.sweep() }
            sweeper?.schedule(after: interval)
        }
        sweeper = timer
        timer.schedule(after: interval)
    }

    /// The second signal does not wait.
    private func end() {
        guard !isStopping else { exit(1) }
        isStopping = true
        Task {
            stop.yield(await gateway.drain())
            stop.finish()
        }
    }

    /// However many signals ask for it meanwhile, it is done once, and not by one who is asked to stop.
    private func reload() {
        guard !isReloadDue else { return }
        isReloadDue = true
        control.execute { [self] in
            isReloadDue = false
            if !isStopping { readAgain() }
        }
    }

    private func readAgain() {
        let outcome = reloader.reload()
        for mistake in outcome.mistakes { gateway.logger.error("\(mistake)") }
        for warning in outcome.warnings { gateway.logger.warning("\(warning)") }
        gateway.replaceForms(outcome.forms)
        gateway.reloadCertificate()
        gateway.logger.info("forms read again", metadata: ["forms": "\(outcome.forms.count)"])
    }
}
