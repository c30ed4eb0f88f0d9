import Testing

@testable import EventIO

@Suite struct OutputQueueTests {
    @Test func everyDestinationGetsItsBytesInOrder() {
        var log: [String] = []
        let (first, second) = (OutputQueue.Destination(), OutputQueue.Destination())
        first.send = { log.append("first \($0.withUnsafeBytes { Array($0) })") }
        second.send = { log.append("second \($0.withUnsafeBytes { Array($0) })") }
        var queue = OutputQueue()
        for (message, destination) in [([1], first), ([2, 3], first), ([4], second), ([5], first)] {
            queue.append(message.map { UInt8($0) }, for: destination)
        }
        queue.flush()
        #expect(log == ["first [1, 2, 3]", "second [4]", "first [5]"])
        #expect(queue.isEmpty)
    }

    @Test func aClosedDestinationGetsNothing() {
        var queue = OutputQueue()
        queue.append([1], for: OutputQueue.Destination())
        queue.flush()
        #expect(queue.isEmpty)
    }

    @Test(arguments: [(1, 32_767, false), (1, 32_768, true), (31, 1, false), (32, 1, true)])
    func manyBytesOrPartsFillIt(parts: Int, bytes: Int, isFull: Bool) {
        var queue = OutputQueue()
        for _ in 0..<parts { queue.append([UInt8](repeating: 0, count: bytes), for: OutputQueue.Destination()) }
        #expect(queue.isFull == isFull)
    }
}
