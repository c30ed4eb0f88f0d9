import EventIO
import Glibc
import HTTPWire
import Synchronization
import Testing

@testable import Access
@testable import EventHTTP
@testable import Gateway

@Suite struct LargeBodyTests {
    private struct Refused: Error {}

    /// The work on a large body is done on another thread, that on others where it was asked for; both return to the loop.
    @Test(arguments: [(0, "asking"), (65_536, "asking"), (65_537, "large bodies"), (1 << 20, "large bodies")])
    func thread(count: Int, expected: String) async throws {
        let loop = try EventLoop(name: "asking")
        try loop.start()
        defer { loop.stop() }
        let task = Task(executorPreference: loop) {
            let inside = await LargeBodies.work(on: count) { EventLoop.current?.name }
            return (inside, EventLoop.current?.name)
        }
        let (inside, after) = await task.value
        #expect(inside == expected)
        #expect(after == "asking")
    }

    @Test(arguments: [1, 1 << 20])
    func failure(count: Int) async {
        await #expect(throws: Refused.self) {
            try await LargeBodies.work(on: count) { () throws(Refused) -> Int in throw Refused() }
        }
    }

    private func call(_ loop: EventLoop, bytes: Int, maxWait: Duration?) throws -> Call {
        var parser = RequestHeadParser()
        let head = try #require(try parser.parse(Array("POST / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).span))
        let request = ServerRequest(
            head: head, body: Array(repeating: 0x20, count: bytes), loop: loop,
            remoteBits: (0, 0xFFFF_7F00_0001), isSecure: false, maxWait: maxWait)
        return Call(request, from: TrustedProxies([]).client(of: head, from: request.remoteBits))
    }

    /// A loop that asks, and the thread for large bodies, kept busy until `release` is called.
    private final class BusyThread: Sendable {
        let loop: EventLoop
        private let isReleased = Mutex(false)

        init() async throws {
            loop = try EventLoop(name: "asking")
            try loop.start()
            let (hasBegun, begin) = AsyncStream<Void>.makeStream()
            Task(executorPreference: loop) {
                await LargeBodies.work(on: 1 << 20) {
                    begin.finish()
                    while !self.isReleased.withLock({ $0 }) { usleep(1_000) }
                }
            }
            for await _ in hasBegun {}
        }

        deinit { loop.stop() }

        /// Starts `work` on the loop, and returns when it is waiting for the thread.
        func start<Value: Sendable>(
            _ work: @escaping @Sendable () async throws -> Value
        ) async -> Task<Value, any Error> {
            let (hasStarted, start) = AsyncStream<Void>.makeStream()
            let task = Task(executorPreference: loop) {
                start.finish()
                return try await work()
            }
            for await _ in hasStarted {}
            return task
        }

        func release(after delay: Duration) async throws {
            try await Task.sleep(for: delay)
            isReleased.withLock { $0 = true }
        }
    }

    /// What has waited too long when its turn comes is refused. Small bodies do not wait for large ones.
    @Test(arguments: [
        (1 << 20, Duration.milliseconds(40), true), (1 << 20, .seconds(600), false), (1 << 20, nil, false),
        (65_536, .milliseconds(40), false),
    ])
    func lateCallsAreRefused(bytes: Int, maxWait: Duration?, isRefused: Bool) async throws {
        let thread = try await BusyThread()
        let call = try call(thread.loop, bytes: bytes, maxWait: maxWait)
        let begun = await thread.start {
            do throws(CallError) {
                try await LargeBodies.begin(call) {}
                return String?.none
            } catch { return Problem(error).detail }
        }
        try await thread.release(after: .milliseconds(600))
        #expect(try await begun.value == (isRefused ? Problem(.bodiesBusy).detail : nil))
    }

    /// A long text of an error is searched for card numbers beside the loop, on which another call's error is ready before.
    @Test func longNamesInErrors() async throws {
        let thread = try await BusyThread()
        let call = try call(thread.loop, bytes: 0, maxWait: nil)
        func error(naming name: String) async -> Task<ContinuousClock.Instant, any Error> {
            await thread.start {
                let response = await CallResponse.error(.unknownFields([name]), to: call)
                #expect(response.status == 400 && response.body.count > name.utf8.count)
                return ContinuousClock.now
            }
        }
        let long = await error(naming: String(repeating: "%254", count: 10_000))
        let short = await error(naming: "x")
        try await thread.release(after: .milliseconds(500))
        #expect(try await short.value < long.value)
    }

    /// Work for calls that have begun goes before that for new ones.
    @Test func callsThatHaveBegunGoFirst() async throws {
        let thread = try await BusyThread()
        let call = try call(thread.loop, bytes: 1 << 20, maxWait: nil)
        let new = await thread.start { try await LargeBodies.begin(call) { ContinuousClock.now } }
        let begun = await thread.start { await LargeBodies.work(on: 1 << 20) { ContinuousClock.now } }
        try await thread.release(after: .milliseconds(500))
        #expect(try await begun.value < new.value)
    }
}
