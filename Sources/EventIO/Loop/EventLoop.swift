import CLibevent
import COpenSSL
import Glibc
import Synchronization

/// One libevent `event_base` and the thread that runs it. As a `TaskExecutor` it also runs Swift tasks, so that
/// straight-line `async` code executes between the events it waits for, on the same thread and without locks:
/// `Task(executorPreference: loop) { … }`.
///
/// `@unchecked Sendable` is sound because all mutable state is either behind `inbox`'s mutex or touched by the loop's
/// own thread alone (all other properties that change, and the libevent base with all its events). The
/// base has no locks of its own: other threads only append to the inbox and write to the wake descriptor.
public final class EventLoop: TaskExecutor, @unchecked Sendable {
    /// Shown as the thread's name; the kernel keeps 15 bytes of it.
    public let name: String

    let base: OpaquePointer
    private let wakeDescriptor: CInt
    private var wakeEvent: OpaquePointer?
    private let inbox = Mutex(WorkQueue())
    // Exclusivity is not checked at run time for these and for the state shared by the loop's connections: the checks took 3%
    // of a request. Sound because no access lasts while code runs that could access the same property again.
    @exclusivity(unchecked) private var ready = WorkQueue()
    @exclusivity(unchecked) private var running = WorkQueue()
    @exclusivity(unchecked) private var output = OutputQueue()
    private var isStopping = false
    /// Tasks that continue in the next iteration.
    private var yielding: [UnsafeContinuation<Void, Never>] = []

    /// The number of iterations so far: each polls for events and runs the work they caused. Loop thread only.
    public private(set) var iteration = 0

    /// Tasks of this loop that sleep or wait for another service. Loop thread only.
    package var waitingElsewhere = 0

    /// The sockets that are open on this loop, each in its place.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    /// Whether sockets are cancelled, those to come as well, but for some (``cancelSockets(except:)``). Loop thread only.
    public private(set) var cancelsSockets = false

    /// How many sockets are open on this loop. Loop thread only.
    public var openSockets: Int { sockets.count }

    /// A loop that does not run yet: `start()` gives it a thread, `run()` uses the caller's.
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
            { _, _, owner in owner.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue().drainInbox() } },
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

    /// The loop that runs on the calling thread.
    public static var current: EventLoop? { CurrentLoop.loop }

    /// Whether the caller is on this loop's thread.
    public var isCurrent: Bool { CurrentLoop.is(self) }

    /// Runs a job of Swift's runtime on the loop. From the loop's own thread this is an append to an array.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            ready.append(job)
        } else {
            send { $0.append(job) }
        }
    }

    /// Calls `work` on the loop, in this iteration or the next. May be called from any thread.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        if isCurrent {
            ready.append(work)
        } else {
            send { $0.append(work) }
        }
    }

    /// Ends `run()` after the work that is ready. Work enqueued later never runs. May be called from any thread.
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
            iteration &+= 1
            resumeYielding()
            runReadyWork()
            flush()
            cloakroom_wipe_stack()
        }
    }

    /// Adds an open socket; it stays until it is removed.
    func add(_ socket: Socket) {
        socket.place = sockets.count
        sockets.append(socket)
    }

    /// Removes a socket that is closed. The last one takes its place.
    func remove(_ socket: Socket) {
        let last = sockets.removeLast()
        guard last !== socket else { return }
        last.place = socket.place
        sockets[socket.place] = last
    }

    /// Cancels all sockets (``Socket/cancel()``), and those that will be opened: for the end of the process. What waits for one of them
    /// goes on with an error. Loop thread only.
    ///
    /// - Parameter spared: those that are not cancelled.
    public func cancelSockets(except spared: [Socket] = []) {
        cancelsSockets = true
        let spared = Set(spared.map { ObjectIdentifier($0) })
        // A copy: a handler that is called may close some.
        for socket in Array(sockets) where !spared.contains(ObjectIdentifier(socket)) { socket.cancel() }
    }

    /// Suspends until the loop's next iteration. A task that always has work to do must call it now and then, since it would
    /// block timers, other connections and new ones otherwise. Loop thread only.
    public func nextIteration() async {
        precondition(isCurrent, "a loop's iterations are for its own tasks")
        await withUnsafeContinuation { yielding.append($0) }
    }

    private func resumeYielding() {
        guard !yielding.isEmpty else { return }
        var resumed: [UnsafeContinuation<Void, Never>] = []
        swap(&resumed, &yielding)
        for continuation in resumed { continuation.resume() }
    }

    /// Runs ready work, and the work that it makes ready, up to a bound: then sockets are polled again.
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

    /// Sends `message` through `destination` at the end of the iteration, or earlier if many bytes are waiting.
    func enqueue(_ message: [UInt8], for destination: OutputQueue.Destination) {
        if output.isFull { flush() }
        output.append(message, for: destination)
    }

    /// Sends the queued output. The queue is moved out first, because a socket that finds its peer gone resumes its task or
    /// watcher, which may queue more output.
    func flush() {
        while !output.isEmpty {
            var leaving = OutputQueue()
            swap(&leaving, &output)
            leaving.flush()
            if output.isEmpty { return swap(&leaving, &output) }
        }
    }

    /// Puts work into the inbox. Only the thread that finds it empty has to wake the loop, which drains it completely.
    private func send(_ put: (inout WorkQueue) -> Void) {
        let wasEmpty = inbox.withLock { inbox in
            defer { put(&inbox) }
            return inbox.isEmpty
        }
        if wasEmpty { eventfd_write(wakeDescriptor, 1) }
    }

    private func drainInbox() {
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
