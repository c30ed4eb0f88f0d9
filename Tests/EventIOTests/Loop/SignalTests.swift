import EventIO
import EventIOTesting
import Glibc
import Testing

@Suite struct SignalTests {
    @Test func signalsArriveOnTheLoop() async throws {
        let onLoop = try await withLoop { loop in
            var source: SignalSource?
            let onLoop = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Bool, any Error>) in
                do {
                    source = try SignalSource(SIGUSR1, on: loop) { continuation.resume(returning: loop.isCurrent) }
                    kill(getpid(), SIGUSR1)
                } catch { continuation.resume(throwing: error) }
            }
            withExtendedLifetime(source) {}
            return onLoop
        }
        #expect(onLoop)
    }
}
