import EventIO
import EventIOTesting
import Testing

@testable import EventHTTP

@Suite struct PoolLeaseTests {
    private func isLeased(_ pool: ConnectionPool) -> Bool {
        // A lease that was free has been returned by the end of the expression.
        if pool.leaseNow() == nil { true } else { false }
    }

    @Test func aDroppedLeaseIsFree() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(PoolLimits(active: 1), on: loop)
            func use() -> Bool {
                let lease = pool.leaseNow()
                return isLeased(pool) && lease != nil
            }
            #expect(use())
            #expect(!isLeased(pool) && pool.isUnused)
        }
    }

    @Test func aLeaseDroppedOnAnotherThreadIsReturnedOnTheLoop() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(PoolLimits(active: 1), on: loop)
            let other = try EventLoop(name: "other")
            try other.start()
            let lease = pool.leaseNow()
            let box = LeaseBox(lease)
            #expect(isLeased(pool))
            other.execute { box.drop() }
            while isLeased(pool) { await loop.sleep(for: .milliseconds(1)) }
            other.stop()
            #expect(pool.isUnused)
        }
    }

    @Test func anEndedLeaseGoesToTheFirstThatWaits() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(PoolLimits(active: 1, queue: 2), on: loop)
            let box = LeaseBox(pool.leaseNow())
            var order: [Int] = []
            let first = Task(executorPreference: loop) {
                _ = try await pool.lease(by: testDeadline)
                return 1
            }
            let second = Task(executorPreference: loop) {
                _ = try await pool.lease(by: testDeadline)
                return 2
            }
            await loop.sleep(for: .milliseconds(5))
            box.drop()
            order.append(try await first.value)
            order.append(try await second.value)
            #expect(order == [1, 2] && pool.isUnused)
        }
    }
}

/// Gives a lease a lifetime that the test controls. Used by one thread at a time.
private final class LeaseBox: @unchecked Sendable {
    private var lease: PoolLease?

    init(_ lease: consuming PoolLease?) { self.lease = lease }

    func drop() { lease = nil }
}
