import Testing

@testable import Vault

struct ExpiryQueueTests {
    /// Numbers that look random, the same each time (Knuth, The Art of Computer Programming, volume 2, section 3.3.4).
    private func ends(_ count: Int, of many: Int64) -> [Int64] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % many
        }
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 9), (3, 2), (1_000, 7), (1_000, 1_000_000)])
    func theFirstToExpireComesFirst(count: Int, many: Int64) {
        let ends = ends(count, of: many)
        for step in [1, 3] {
            var queue = ExpiryQueue()
            for (id, end) in ends.enumerated() { queue.add(Int64(id), expiringAt: end) }
            queue.keep { $0 % Int64(step) == 0 }
            let kept = ends.enumerated().filter { $0.offset % step == 0 }
            #expect(queue.count == kept.count && queue.first?.expiresAt == kept.map(\.element).min())
            var removed: [ExpiryQueue.Entry] = []
            while let entry = queue.removeFirst() { removed.append(entry) }
            #expect(removed.map(\.expiresAt) == kept.map(\.element).sorted())
            #expect(Set(removed.map(\.id)).count == kept.count)
            #expect(removed.allSatisfy { ends[Int($0.id)] == $0.expiresAt })
        }
    }
}
