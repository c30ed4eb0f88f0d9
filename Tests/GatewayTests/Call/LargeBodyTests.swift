import EventIO
import Testing

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
}
