import EventIO
import EventIOTesting
import Testing

@testable import EventHTTP

@Suite struct UnfinishedHeadsTests {
    private final class Owner {}

    /// Calls through, since `#expect` cannot mutate a value.
    private final class Heads {
        private var heads: UnfinishedHeads<Owner>
        init(limit: Int) { heads = UnfinishedHeads(limit: limit) }
        var used: Int { heads.used }
        func set(_ bytes: Int, for owner: Owner) { heads.set(bytes, for: owner) }
        func remove(_ owner: Owner) { heads.remove(owner) }
        func popOldestBeyondLimit() -> Owner? { heads.popOldestBeyondLimit() }
    }

    @Test func theOldestBeyondTheLimitAreReturned() {
        let heads = Heads(limit: 100)
        let owners = (0..<5).map { _ in Owner() }
        for owner in owners { heads.set(20, for: owner) }
        #expect(heads.popOldestBeyondLimit() == nil)
        heads.remove(owners[0])
        heads.set(41, for: owners[4])
        #expect(heads.used == 101)
        #expect(heads.popOldestBeyondLimit() === owners[1])
        #expect(heads.popOldestBeyondLimit() == nil && heads.used == 81)
        // A new head of the same owner is the youngest.
        heads.remove(owners[2])
        heads.set(30, for: owners[2])
        heads.set(60, for: owners[0])
        #expect(heads.popOldestBeyondLimit() === owners[3])
        #expect(heads.popOldestBeyondLimit() === owners[4])
        #expect(heads.popOldestBeyondLimit() == nil && heads.used == 90)
    }

    /// A connection holds what it has received: it must go with its head.
    @Test func aRemovedHeadDoesNotKeepItsOwner() {
        let heads = Heads(limit: 100)
        weak var gone: Owner?
        do {
            let owner = Owner()
            gone = owner
            heads.set(20, for: owner)
            heads.remove(owner)
        }
        #expect(gone == nil)
    }

    @Test func manyHeadsLeaveNothingBehind() {
        let heads = Heads(limit: 1_000)
        for _ in 0..<10_000 {
            let owner = Owner()
            heads.set(10, for: owner)
            heads.set(500, for: owner)
            heads.remove(owner)
        }
        #expect(heads.used == 0 && heads.popOldestBeyondLimit() == nil)
    }

    @Test func manySlowHeadsAreBounded() async throws {
        let limits = ServerLimits(unfinishedHeadBytes: 100_000)
        try await withServer(limits: limits) { fixture in
            var sockets: [Socket] = []
            for _ in 0..<20 {
                let socket = try await fixture.connect()
                try await socket.write("GET / HTTP/1.1\r\nHost: x\r\nA: " + String(repeating: "a", count: 20_000))
                sockets.append(socket)
            }
            // The oldest is given up, the youngest can still be finished.
            #expect(statuses(String(decoding: try await sockets[0].readAll(), as: UTF8.self)) == [503])
            try await sockets[19].write("\r\n\r\n")
            #expect(try await sockets[19].read(through: "GET / ").contains(" 200 "))
            for socket in sockets { socket.close() }
        }
    }
}
