import Foundation
import Testing
import Threads

/// Eight threads for tests that wait for other processes. The pool that Swift runs tasks on has a thread a core: a test that blocks
/// there keeps a core from those that compute.
final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads(count: 8)

    private let jobs = Monitor<[UnownedJob]>([])

    private init(count: Int) {
        for _ in 0..<count {
            Thread { self.run() }.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        jobs.wakeOne()
    }

    private func run() {
        while true {
            let job = jobs.wait { jobs, _ in jobs.isEmpty ? .sleep(until: nil) : .found(jobs.removeFirst()) }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Runs the tests of a suite on threads that may block.
struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTrait {
    /// The tests wait for other processes, on threads of their own.
    static var waits: Self { Self() }
}
