import EventIO

/// Where the work on a large body is done. Reading a megabyte of JSON, judging fields of that size or searching it for card numbers
/// can take a tenth of a second, for which the other requests of a loop must not wait.
enum LargeBodies {
    /// Bytes of the largest body that is worked on on the loop of its request: some milliseconds in the worst case.
    private static let loopLimit = 65_536

    /// One thread for all loops, started when it is first needed. It runs a loop, so that its stack is wiped as those of the workers are.
    /// Nil if the system has no thread left.
    private static let thread: EventLoop? = {
        guard let loop = try? EventLoop(name: "large bodies"), (try? loop.start()) != nil else { return nil }
        return loop
    }()

    /// Does `work`, which is about a body of so many bytes, and returns its result on the loop that asked.
    @inline(__always)
    static func work<Value, Failure: Error>(
        on count: Int, _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard count > loopLimit, let thread else { return try work() }
        return try await withTaskExecutorPreference(thread) { () async throws(Failure) -> Value in try work() }
    }
}
