import EventIO
import HTTPWire
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
            head: head, body: Array(repeating: 0x20, count: bytes), loop: loop, remoteAddress: "127.0.0.1",
            remoteBits: (0, 0xFFFF_7F00_0001), isSecure: false, maxWait: maxWait)
        return Call(request, from: TrustedProxies([]).client(of: head, from: request.remoteBits))
    }

    /// Runs `work` on a loop while the thread works on another large body, for as long as `delay`.
    private func whileBusy<Value: Sendable>(
        for delay: Duration, _ work: @escaping @Sendable (EventLoop) async throws -> Value
    ) async throws -> Value {
        let loop = try EventLoop(name: "asking")
        try loop.start()
        defer { loop.stop() }
        let (hasBegun, begin) = AsyncStream<Void>.makeStream()
        let other = Task(executorPreference: loop) {
            await LargeBodies.work(on: 1 << 20) {
                begin.finish()
                let end = ContinuousClock.now + delay
                while .now < end {}
            }
        }
        for await _ in hasBegun {}
        let value = try await Task(executorPreference: loop) { try await work(loop) }.value
        await other.value
        return value
    }

    /// What has waited too long when its turn comes is refused. Small bodies do not wait for large ones.
    @Test(arguments: [
        (1 << 20, Duration.milliseconds(40), true), (1 << 20, .seconds(60), false), (1 << 20, nil, false),
        (65_536, .milliseconds(40), false),
    ])
    func lateCallsAreRefused(bytes: Int, maxWait: Duration?, isRefused: Bool) async throws {
        let problem = try await whileBusy(for: .milliseconds(200)) { loop in
            let call = try call(loop, bytes: bytes, maxWait: maxWait)
            do throws(CallError) {
                try await LargeBodies.begin(call) {}
                return String?.none
            } catch { return Problem(error).detail }
        }
        #expect(problem == (isRefused ? Problem(.bodiesBusy).detail : nil))
    }

    /// Work for calls that have begun goes before that for new ones.
    @Test func callsThatHaveBegunGoFirst() async throws {
        let (new, begun) = try await whileBusy(for: .milliseconds(100)) { loop in
            let call = try call(loop, bytes: 1 << 20, maxWait: nil)
            let new = Task(executorPreference: loop) { try await LargeBodies.begin(call) { ContinuousClock.now } }
            let begun = Task(executorPreference: loop) { await LargeBodies.work(on: 1 << 20) { ContinuousClock.now } }
            return (try await new.value, await begun.value)
        }
        #expect(begun < new)
    }
}
