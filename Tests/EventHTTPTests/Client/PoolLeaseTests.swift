import EventIO
import EventIOTesting
import Synchronization
import Testing

@testable import EventHTTP

@Suite struct PoolLeaseTests {
    private func origin(_ limits: PoolLimits) -> Origin { Origin(host: "a", port: 80, pool: limits) }

    private func isLeased(_ pool: ConnectionPool) -> Bool {
        // A lease that was free has been returned by the end of the expression.
        if pool.leaseNow() == nil { true } else { false }
    }

    @Test func aDroppedLeaseIsFree() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(of: origin(PoolLimits(active: 1)), on: loop)
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
            let pool = ConnectionPool(of: origin(PoolLimits(active: 1)), on: loop)
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

    /// One stranger gets a fifth, all strangers half, and there is room for one more caller; who waits is shared in the same way.
    @Test func callersHaveShares() async throws {
        try await withLoop { loop in
            let origin = origin(PoolLimits(active: 20, queue: 4))
            let pool = ConnectionPool(of: origin, on: loop)
            func lease(_ caller: PoolCaller, times: Int) -> [LeaseBox] {
                (0..<times).compactMap { _ in
                    let box = LeaseBox(pool.leaseNow(for: caller))
                    return box.isEmpty ? nil : box
                }
            }
            let stranger = PoolCaller(group: 0, member: 1)
            let shop = PoolCaller(group: 7, member: nil)
            var held = lease(stranger, times: 20)
            #expect(held.count == 4)
            for other in 2..<20 as Range<UInt64> { held += lease(PoolCaller(group: 0, member: other), times: 20) }
            #expect(held.count <= 10 && origin.connectionsInUse.load(ordering: .relaxed) == held.count)
            let own = lease(shop, times: 20)
            #expect(own.count >= 5 && held.count + own.count < 20)
            // What is asked for beyond a share waits, up to a share of the places to wait.
            let waiting = Task(executorPreference: loop) { _ = try await pool.lease(for: stranger, by: testDeadline) }
            await loop.sleep(for: .milliseconds(5))
            await #expect(throws: ClientError.overloaded) { _ = try await pool.lease(for: stranger, by: testDeadline) }
            #expect(origin.refusals.load(ordering: .relaxed) == 1)
            for box in own { box.drop() }
            await loop.sleep(for: .milliseconds(5))
            for box in held { box.drop() }
            try await waiting.value
            #expect(pool.isUnused && origin.connectionsInUse.load(ordering: .relaxed) == 0)
        }
    }

    /// A lease that ends adds to what is free and takes from what its caller holds: two may go on.
    @Test func oneEndMayLetTwoGoOn() async throws {
        try await withLoop { loop in
            let origin = origin(PoolLimits(active: 6, queue: 8))
            let pool = ConnectionPool(of: origin, on: loop)
            let callers = (1...2).map { PoolCaller(group: $0, member: nil) }
            let held = callers.map { caller in (0..<2).map { _ in LeaseBox(pool.leaseNow(for: caller)) } }
            #expect(callers.allSatisfy { pool.leaseNow(for: $0) == nil })
            let waiting = callers.map { caller in
                Task(executorPreference: loop) { LeaseBox(try await pool.lease(for: caller, by: testDeadline)) }
            }
            await loop.sleep(for: .milliseconds(5))
            #expect(origin.connectionsInUse.load(ordering: .relaxed) == 4)
            held[1][0].drop()
            for task in waiting { try await task.value.drop() }
            for box in held.joined() { box.drop() }
            #expect(pool.isUnused)
        }
    }

    /// Places that were given back are not held: neither by the caller nor by its group.
    @Test func placesThatWereGivenBackAreFree() {
        let stranger = PoolCaller(group: 0, member: 1)
        var shares = PoolShares(capacity: 20)
        for _ in 0..<8 { shares.add(nil) }
        for _ in 0..<40 {
            shares.add(stranger)
            shares.remove(stranger)
        }
        #expect(shares.hasRoom(for: stranger) && shares.hasRoom(for: PoolCaller(group: 0, member: 2)))
    }

    /// A place to wait is free again when the time to wait has passed.
    @Test func aPassedWaitLeavesTheQueue() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(of: origin(PoolLimits(active: 1, queue: 1)), on: loop)
            let box = LeaseBox(pool.leaseNow())
            await #expect(throws: ClientError.overloaded) {
                _ = try await pool.lease(by: .now + .milliseconds(10))
            }
            let second = Task(executorPreference: loop) { _ = try await pool.lease(by: testDeadline) }
            await loop.sleep(for: .milliseconds(5))
            box.drop()
            try await second.value
            #expect(pool.isUnused)
        }
    }

    @Test func anEndedLeaseGoesToTheFirstThatWaits() async throws {
        try await withLoop { loop in
            let pool = ConnectionPool(of: origin(PoolLimits(active: 1, queue: 2)), on: loop)
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
    let isEmpty: Bool

    init(_ lease: consuming PoolLease?) {
        isEmpty = lease == nil
        self.lease = lease
    }

    func drop() { lease = nil }
}

extension ConnectionPool {
    /// For a caller without a share.
    fileprivate func leaseNow() -> PoolLease? { leaseNow(for: nil) }

    fileprivate func lease(by deadline: MonotonicTime) async throws(ClientError) -> PoolLease {
        try await lease(for: nil, by: deadline)
    }
}
