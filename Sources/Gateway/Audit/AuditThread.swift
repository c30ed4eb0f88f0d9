import EventIO

/// The audit log's thread with what belongs to it alone.
///
/// `@unchecked Sendable`: `writer` and the timers are touched on the loop's thread only.
final class AuditThread: @unchecked Sendable {
    /// How long lines that nobody waits for may gather.
    private static let gathering = Duration.milliseconds(10)
    /// When a log that could not be written is tried again.
    private static let patience = Duration.milliseconds(250)

    let loop: EventLoop
    var writer: AuditWriter
    private var timer: Timer?
    private var sumTimer: Timer?

    init(_ writer: consuming sending AuditWriter) throws(IOError) {
        self.writer = writer
        loop = try EventLoop(name: "audit")
        try loop.start()
    }

    /// Has what was counted of strangers recorded when their second is over.
    func scheduleSums(of log: AuditLog) {
        let timer = sumTimer ?? Timer(on: loop) { [weak log] in log?.recordSums() }
        sumTimer = timer
        timer.schedule(after: RefusalTally.interval)
    }

    func scheduleFlush(of log: AuditLog, soon: Bool) {
        let timer = timer ?? Timer(on: loop) { [weak log] in log?.flush() }
        self.timer = timer
        timer.schedule(after: soon ? Self.gathering : Self.patience)
    }
}
