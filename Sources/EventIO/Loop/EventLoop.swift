import CLibevent
import COpenSSL
import Glibc
import Synchronization

/// One libevent `event_base` and the thread that runs it. As a `TaskExecutor` it also runs Swift tasks, so that
/// straight-line `async` code executes between the events it waits for, on the same thread and without locks:
/// `Task(executorPreference: loop) { … }`.
///
/// `@unchecked Sendable` is sound because everything mutable is either behind `inbox`'s mutex or touched by the loop's
/// own thread alone (`ready`, `running`, `yielding`, `outbox`, `isStopping`, and the libevent base with all its events). The base has no
/// locks of its own: other threads only append to the inbox and write to the wake descriptor.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// Shown as the thread's name; the kernel keeps 15 bytes of it.
    public let name: String

    let base: OpaquePointer
    private let wakeDescriptor: CInt
    private var wakeEvent: OpaquePointer?
    private let inbox = Mutex(WorkQueue())
    // Not checked at run time, which took 3% of a request, here and in what the loop's connections share: no use of them lasts
    // while other code runs that could come back to them.
    @exclusivity(unchecked) private var ready = WorkQueue()
    @exclusivity(unchecked) private var running = WorkQueue()
    @exclusivity(unchecked) private var outbox = Outbox()
    private var isStopping = false
    /// Tasks that let everybody else have their turn first.
    private var yielding: [UnsafeContinuation<Void, Never>] = []

    /// Counts the turns: the times that the loop has asked what happened and has done what there was to do. Loop thread only.
    public private(set) var turn = 0

    /// Streams that are open on this loop; loop thread only.
    public internal(set) var openStreams = 0

    /// A loop that does not run yet: `start()` gives it a thread, `run()` the caller's.
    /// Throws `IOError.system` when the process has no descriptor or memory left for it.
    public init(name: String = "loop") throws(IOError) {
        cloakroom_ignore_sigpipe()
        guard let base = event_base_new() else { throw .system(call: "event_base_new", errno: errno) }
        let descriptor = cloakroom_eventfd()
        guard descriptor >= 0 else {
            let number = errno
            event_base_free(base)
            throw .system(call: "eventfd", errno: number)
        }
        self.name = name
        self.base = base
        wakeDescriptor = descriptor
        let owner = Unmanaged.passUnretained(self).toOpaque()
        wakeEvent = event_new(
            base, descriptor, Int16(EV_READ | EV_PERSIST),
            { _, _, owner in owner.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue().acceptInbox() } },
            owner)
        guard wakeEvent != nil, event_add(wakeEvent, nil) == 0 else {
            throw .system(call: "event_new", errno: ENOMEM)
        }
    }

    deinit {
        if let wakeEvent { event_free(wakeEvent) }
        event_base_free(base)
        close(wakeDescriptor)
    }

    /// The loop whose thread the caller is on.
    public static var current: EventLoop? { CurrentLoop.loop }

    /// Whether the caller is on this loop's thread.
    public var isCurrent: Bool { CurrentLoop.is(self) }

    /// Runs a job of Swift's runtime on the loop. From the loop's own thread this is an append to an array.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            leave { $0.append(job) }
        }
    }

    /// Calls `work` on the loop, soon. May be called from any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            ready.append(work)
        } else {
            leave { $0.append(work) }
        }
    }

    /// Ends `run()` after the work that is ready. What is enqueued later never runs. May be called from any thread.
    public func stop() {
        execute { self.isStopping = true }
    }

    /// Runs events, timers and tasks on the calling thread until `stop()`.
    public func run() {
        CurrentLoop.set(self)
        defer { CurrentLoop.set(nil) }
        while !isStopping {
            let isBusy = !ready.isEmpty || !yielding.isEmpty
            event_base_loop(base, EVLOOP_ONCE | (isBusy ? EVLOOP_NONBLOCK : 0))
            turn &+= 1
            resumeYielding()
            runReadyWork()
            deliver()
            cloakroom_wipe_stack()
        }
    }

    /// Suspends until the loop's next turn: whoever always finds something to do would keep all others, timers and new
    /// connections from theirs. Loop thread only.
    public func nextTurn() async {
        precondition(isCurrent, "a loop's turns are for its own tasks")
        await withUnsafeContinuation { yielding.append($0) }
    }

    private func resumeYielding() {
        guard !yielding.isEmpty else { return }
        var resumed: [UnsafeContinuation<Void, Never>] = []
        swap(&resumed, &yielding)
        for continuation in resumed { continuation.resume() }
    }

    /// Runs what is ready, and what that makes ready, up to a bound: sockets must get their turn too.
    private func runReadyWork() {
        var rounds = 16
        let executor = asUnownedTaskExecutor()
        while !ready.isEmpty, rounds > 0 {
            rounds -= 1
            swap(&ready, &running)
            for call in running.calls { call() }
            for job in running.jobs { job.runSynchronously(on: executor) }
            running.removeAll()
        }
    }

    /// Has `message` sent on `stream` when the turn ends, or earlier if much is waiting.
    func post(_ message: [UInt8], on stream: Stream) {
        if outbox.isFull { deliver() }
        outbox.append(message, for: stream)
    }

    /// Sends what was posted. Taken out meanwhile: a stream that finds its peer gone calls whoever watches it, who may post.
    func deliver() {
        while !outbox.isEmpty {
            var leaving = Outbox()
            swap(&leaving, &outbox)
            leaving.deliver()
            if outbox.isEmpty { return swap(&leaving, &outbox) }
        }
    }

    /// Puts work into the inbox. Only the one who finds it empty has to wake the loop: it takes all at once.
    private func leave(_ put: (inout WorkQueue) -> Void) {
        let wasEmpty = inbox.withLock { inbox in
            defer { put(&inbox) }
            return inbox.isEmpty
        }
        if wasEmpty { eventfd_write(wakeDescriptor, 1) }
    }

    private func acceptInbox() {
        var count = eventfd_t()
        eventfd_read(wakeDescriptor, &count)
        let arrived = inbox.withLock { inbox in
            let arrived = inbox
            inbox = WorkQueue()
            return arrived
        }
        ready.append(contentsOf: arrived)
    }
}
