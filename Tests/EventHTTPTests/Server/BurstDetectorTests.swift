import Testing

@testable import EventHTTP

@Suite struct BurstDetectorTests {
    @Test(
        arguments: [
            ([(255, 0), (0, 0)], false), ([(256, 0), (65, 0)], false), ([(256, 0), (64, 0)], true),
            ([(1, 8 << 20), (1, 0)], true), ([(10, 1 << 20), (10, 0)], false), ([(4_000, 0), (900, 2 << 20)], false),
        ] as [([(Int, Int)], Bool)])
    func aBurstEndsAtAQuarterOfItsPeak(loads: [(connections: Int, bytes: Int)], hasEnded: Bool) {
        var burst = BurstDetector()
        var last = false
        for load in loads { last = burst.hasEnded(connections: load.connections, bytes: load.bytes) }
        #expect(last == hasEnded)
        if let load = loads.last { burst.reset(connections: load.connections, bytes: load.bytes) }
        let again = burst.hasEnded(connections: 0, bytes: 0)
        #expect(!again || (loads.last?.connections ?? 0) >= 256)
    }
}
