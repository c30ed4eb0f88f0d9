import EventIO
import Synchronization
import Vault

/// Where the work on a large body is done. Reading a megabyte of JSON, judging fields of that size or searching it for card numbers
/// can take a tenth of a second, for which the other requests of a loop must not wait.
///
/// All loops share one thread, so the work on one body waits for that on others. How long is bounded by ``begin(_:_:)``: a call whose
/// turn comes too late is refused before anything is done for it, and calls that have begun go first.
enum LargeBodies {
    /// Bytes of the largest body that is worked on on the loop of its request: some milliseconds in the worst case.
    private static let loopLimit = 65_536

    /// One thread for all loops, started when it is first needed. It runs a loop, so that its stack is wiped as those of the workers are.
    /// Nil if the system has no thread left.
    static let thread: EventLoop? = {
        guard let loop = try? EventLoop(name: "large bodies"), (try? loop.start()) != nil else { return nil }
        return loop
    }()

    /// How many pieces of work for calls that have begun wait for the thread.
    private static let waiting = Atomic<Int>(0)

    /// Does the first work for a call, which reads its body, and returns its result on the loop that asked. Throws `.bodiesBusy` if the
    /// call has waited longer than `server.maxWait` when its turn comes.
    @inline(__always)
    static func begin<Value>(
        _ call: Call, _ work: () throws(CallError) -> Value
    ) async throws(CallError) -> Value {
        guard call.bodyCount > loopLimit, let thread else { return try work() }
        let posted = ContinuousClock.now
        return try await withTaskExecutorPreference(thread) { () async throws(CallError) -> Value in
            try await takeTurn(on: thread, call.waitLimit, posted: posted)
            return try work()
        }
    }

    /// Returns when no work of a call that has begun waits for the thread. Until then the task goes to the end of the thread's queue,
    /// and is refused as soon as it is late. To be called on the thread.
    private static func takeTurn(
        on thread: EventLoop, _ limit: WaitLimit?, posted: ContinuousClock.Instant
    ) async throws(CallError) {
        while true {
            if let limit, limit.isLate(at: .now, posted: posted, commit: .zero) { throw .bodiesBusy }
            if waiting.load(ordering: .relaxed) == 0 { return }
            await thread.nextIteration()
        }
    }

    /// Does `work`, which is about a body of so many bytes, and returns its result on the loop that asked.
    @inline(__always)
    static func work<Value, Failure: Error>(
        on count: Int, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard count > loopLimit, let thread else { return try work() }
        waiting.add(1, ordering: .relaxed)
        return try await withTaskExecutorPreference(thread) { () async throws(Failure) -> Value in
            waiting.subtract(1, ordering: .relaxed)
            return try work()
        }
    }
}
