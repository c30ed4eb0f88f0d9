public import EventIO

/// A loop on a thread of its own for the length of `body`, which runs on it.
@discardableResult
public func withLoop<R: Sendable>(_ body: @escaping @Sendable (EventLoop) async throws -> R) async throws -> R {
    let loop = try EventLoop(name: "test")
    try loop.start()
    defer { loop.stop() }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

/// Long enough for a slow machine, short enough to end a test that hangs.
public var testDeadline: MonotonicTime { .now + .seconds(20) }
