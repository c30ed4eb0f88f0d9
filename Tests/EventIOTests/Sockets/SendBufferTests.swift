import Testing

@testable import EventIO

@Suite struct SendBufferTests {
    private func unsent(_ buffer: SendBuffer) -> [UInt8]? {
        if case .behind(let bytes) = buffer.state { bytes } else { nil }
    }

    @Test func bytesThatWereNotTakenStayInOrder() {
        var buffer = SendBuffer()
        #expect(!buffer.isBehind)
        buffer.append([] as [UInt8])
        #expect(!buffer.isBehind)
        buffer.append([1, 2] as [UInt8])
        buffer.append([3, 4, 5] as [UInt8])
        #expect(unsent(buffer) == [1, 2, 3, 4, 5])
        let attempt = buffer.takeUnsent()
        #expect(attempt == [1, 2, 3, 4, 5] && !buffer.isBehind)
        buffer.putBack(attempt, dropping: 2)
        #expect(unsent(buffer) == [3, 4, 5])
        let second = buffer.takeUnsent()
        buffer.putBack(second, dropping: 3)
        let rest = buffer.takeUnsent()
        #expect(!buffer.isBehind && rest == [])
    }

    @Test func aFailureIsKeptAndEndsEverything() {
        var buffer = SendBuffer()
        buffer.append([1] as [UInt8])
        let attempt = buffer.takeUnsent()
        buffer.fail(.connectionLost)
        buffer.putBack(attempt, dropping: 0)
        #expect(buffer.failure == .connectionLost && !buffer.isBehind)
        buffer.fail(.closed)
        buffer.append([2] as [UInt8])
        buffer.discard()
        let rest = buffer.takeUnsent()
        #expect(buffer.failure == .connectionLost && rest == [])
    }

    @Test func discardedBytesAreGone() {
        var buffer = SendBuffer()
        buffer.append([1, 2] as [UInt8])
        buffer.discard()
        #expect(!buffer.isBehind && buffer.failure == nil)
    }

    @Test func whatWasSentIsCounted() {
        var buffer = SendBuffer()
        buffer.sent(3)
        buffer.sent(4)
        #expect(buffer.sentCount == 7)
    }
}
