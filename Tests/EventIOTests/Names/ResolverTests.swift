import EventIOTesting
import Glibc
import Synchronization
import Testing

@testable import EventIO

@Suite struct LookUpsTests {
    /// Calls through, since `#expect` cannot mutate a value.
    private final class Names {
        private var lookUps = LookUps<Int>(maximumQueue: 2)
        var isQueueEmpty: Bool { lookUps.isQueueEmpty }
        func add(_ waiter: Int, for host: String) -> Int? { lookUps.add(waiter, for: host) }
        func remove(_ number: Int, for host: String) { lookUps.remove(number, for: host) }
        func next() -> String? { lookUps.next() }
        func finish(_ host: String) -> [Int] { lookUps.finish(host) }
    }

    @Test func aNameIsLookedUpOnceForAllThatWait() {
        let lookUps = Names()
        #expect(lookUps.add(1, for: "a") != nil)
        #expect(lookUps.add(2, for: "a") != nil)
        #expect(lookUps.add(3, for: "b") != nil)
        #expect(lookUps.add(4, for: "c") == nil)
        #expect(lookUps.next() == "a")
        // It joins the look-up that is running.
        #expect(lookUps.add(5, for: "a") != nil)
        #expect(lookUps.finish("a") == [1, 2, 5])
        #expect(lookUps.next() == "b" && lookUps.next() == nil)
        #expect(lookUps.finish("b") == [3] && lookUps.finish("b") == [])
    }

    @Test func aNameLeavesTheQueueWithTheLastThatWaits() throws {
        let lookUps = Names()
        let first = try #require(lookUps.add(1, for: "a"))
        let second = try #require(lookUps.add(2, for: "a"))
        let other = try #require(lookUps.add(3, for: "b"))
        lookUps.remove(first, for: "a")
        lookUps.remove(second, for: "a")
        #expect(lookUps.add(4, for: "c") != nil)
        #expect(lookUps.next() == "b")
        // One that is running goes on.
        lookUps.remove(other, for: "b")
        #expect(lookUps.finish("b") == [])
        #expect(lookUps.next() == "c" && lookUps.isQueueEmpty)
    }
}

@Suite struct ResolverTests {
    /// Names that begin with "slow" block until the test ends.
    private final class NameServer: Sendable {
        let isOver = Atomic(false)
        let names = Mutex<[String]>([])

        @Sendable func lookUp(_ host: String) -> [SocketAddress] {
            names.withLock { $0.append(host) }
            while host.hasPrefix("slow"), !isOver.load(ordering: .relaxed) { usleep(1_000) }
            return SocketAddress("192.0.2.1", port: 0).map { [$0] } ?? []
        }
    }

    @Test func slowNamesDelayNoOther() async throws {
        let server = NameServer()
        let resolver = Resolver(maximumThreads: 9, maximumQueue: 10, systemLookUp: server.lookUp)
        try await withLoop { loop in
            let slow = (0..<8).map { index in
                Task(executorPreference: loop) {
                    try await resolver.addresses(of: "slow\(index)", port: 1, on: loop, deadline: testDeadline)
                }
            }
            await loop.sleep(for: .milliseconds(50))
            let found = try await resolver.addresses(of: "fast", port: 7, on: loop, deadline: testDeadline)
            #expect(found.map(\.description) == ["192.0.2.1:7"])
            server.isOver.store(true, ordering: .relaxed)
            for task in slow { _ = try await task.value }
        }
    }

    @Test func theQueueIsBoundedAndExpiredCallersLeaveIt() async throws {
        let server = NameServer()
        let resolver = Resolver(maximumThreads: 1, maximumQueue: 2, systemLookUp: server.lookUp)
        try await withLoop { loop in
            let slow = Task(executorPreference: loop) {
                try await resolver.addresses(of: "slow", port: 1, on: loop, deadline: testDeadline)
            }
            while server.names.withLock({ $0.isEmpty }) { await loop.sleep(for: .milliseconds(1)) }
            let expiring = ["a", "b"].map { name in
                Task(executorPreference: loop) {
                    try await resolver.addresses(
                        of: name, port: 1, on: loop, deadline: .now + .seconds(1))
                }
            }
            await loop.sleep(for: .milliseconds(10))
            await #expect(throws: IOError.tooManyLookUps) {
                _ = try await resolver.addresses(of: "c", port: 1, on: loop, deadline: testDeadline)
            }
            for task in expiring { await #expect(throws: IOError.timedOut) { _ = try await task.value } }
            server.isOver.store(true, ordering: .relaxed)
            _ = try await slow.value
            _ = try await resolver.addresses(of: "d", port: 1, on: loop, deadline: testDeadline)
            // No thread has spent time on names that were not waited for any more.
            #expect(server.names.withLock { $0 } == ["slow", "d"])
        }
    }
}
