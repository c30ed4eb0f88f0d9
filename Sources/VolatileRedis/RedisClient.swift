import EventIO
import Synchronization
import Vault

/// Sends the commands of all tasks over one connection, which is made when it is needed, and again after it has broken. While the
/// replies of one batch arrive, the next commands gather; so the more there are, the less each of them costs.
///
/// `@unchecked Sendable` is sound: what is not behind the mutex is touched by the one task that serves the queue, on the loop's
/// thread.
final class RedisClient: @unchecked Sendable {
    /// After the server could not be reached, commands fail at once for so long, or for as long as the attempt took.
    private static let rest = Duration.seconds(1)
    /// Commands that are sent in one go, and bytes of them and the replies that they ask for: a batch is read within one timeout, and fails as
    /// a whole. One command alone may have more.
    private static let batch = 256
    private static let batchSize = RedisReader.limit / 4

    private struct Call: Sendable {
        let command: RedisCommand
        let writes: Bool
        let finish: @Sendable (Result<RedisReply, RedisFailure>) -> Void
    }

    private struct Queue {
        var calls: [Call] = []
        var isServed = false
        var isClosed = false
        var checksSettings = false
        /// Why the server did not do what it was last asked for.
        var failure: RedisFailure?
        /// Why it refused a write, until it has stored something again: reading goes on meanwhile, and tells nothing of that.
        var refusal: RedisFailure?
    }

    private let configuration: RedisConfiguration
    private let loop: EventLoop
    private let queue = Mutex(Queue())
    private var connection: RedisConnection?
    private var restsUntil = ContinuousClock.now
    private var lastFailure = RedisFailure.lost

    init(_ configuration: RedisConfiguration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
    }

    /// Why the server did not do what it was last asked for; nil if it did.
    var failure: RedisFailure? { queue.withLock { $0.failure ?? $0.refusal } }

    /// The server's reply to a command.
    func send(_ command: RedisCommand, writes: Bool = false) async throws(RedisFailure) -> RedisReply {
        let result: Result<RedisReply, RedisFailure> = await withUnsafeContinuation { continuation in
            put(Call(command: command, writes: writes) { continuation.resume(returning: $0) })
        }
        let reply = try result.get()
        if let word = reply.refusal { throw .refused(word) }
        return reply
    }

    /// Fails what waits, what is under way and all that comes, and ends the connection. The task that serves the queue stops the loop at
    /// its end: before, it may wait there for a reply.
    func close() {
        let (waiting, isServed, wasClosed) = queue.withLock { queue in
            defer { (queue.calls, queue.isClosed) = ([], true) }
            return (queue.calls, queue.isServed, queue.isClosed)
        }
        for call in waiting { call.finish(.failure(.closed)) }
        if wasClosed { return }
        loop.execute { [self] in
            connection?.close()
            connection = nil
            if !isServed { loop.stop() }
        }
    }

    /// Every call is finished exactly once: here, or by the task that takes it from the queue.
    private func put(_ call: Call) {
        let refusal: RedisFailure? = queue.withLock { queue in
            if queue.isClosed { return .closed }
            guard queue.calls.count < configuration.queueLimit else { return .busy }
            queue.calls.append(call)
            if queue.isServed { return nil }
            queue.isServed = true
            Task(executorPreference: loop) { await self.serve() }
            return nil
        }
        if let refusal { call.finish(.failure(refusal)) }
    }

    private func serve() async {
        while let calls = take() {
            do throws(RedisFailure) {
                let connection: RedisConnection
                do { connection = try await usableConnection() } catch { throw error.unsent }
                let replies = try await connection.exchange(calls.map(\.command))
                // First, so that whoever has its reply finds the failure that it tells of.
                note(replies, to: calls)
                for (call, reply) in zip(calls, replies) { call.finish(.success(reply)) }
            } catch {
                if error.endsConnection { connection = nil }
                queue.withLock { $0.failure = error }
                for call in calls { call.finish(.failure(error)) }
            }
        }
        guard queue.withLock({ $0.isClosed }) else { return }
        connection = nil
        loop.stop()
    }

    private func take() -> [Call]? {
        queue.withLock { queue in
            guard !queue.calls.isEmpty else {
                queue.isServed = false
                return nil
            }
            var taken: [Call] = []
            var size = 0
            for call in queue.calls.prefix(Self.batch) {
                size += call.command.bytes.count + call.command.replySize
                guard size <= Self.batchSize || taken.isEmpty else { break }
                taken.append(call)
            }
            queue.calls.removeFirst(taken.count)
            return taken
        }
    }

    /// A refusal says something of the server if it says it to everything, or to what writes.
    private func note(_ replies: [RedisReply], to calls: [Call]) {
        let failures = replies.map { $0.refusal.map(RedisFailure.refused) }
        let failure = failures.first { $0?.endsConnection == true } ?? nil
        if failure != nil { connection = nil }
        let refusal = zip(calls, failures).lazy.compactMap { call, failure in call.writes ? failure : nil }.first
        queue.withLock { queue in
            queue.failure = failure
            if let refusal { queue.refusal = refusal }
        }
    }

    /// The server has shown that it stores again.
    func noteStored() { queue.withLock { $0.refusal = nil } }

    /// Has the settings of the server checked before the next command, also on a connection that exists: they can be changed while
    /// it runs.
    func checkSettingsNext() { queue.withLock { $0.checksSettings = true } }

    private func usableConnection() async throws(RedisFailure) -> RedisConnection {
        if let connection, connection.isUsable {
            if takeSettingsCheck() { try await connection.checkSettings() }
            return connection
        }
        connection = nil
        let began = ContinuousClock.now
        guard began >= restsUntil else { throw lastFailure }
        do throws(RedisFailure) {
            let new = try await RedisConnection(configuration, on: loop)
            _ = takeSettingsCheck()
            connection = new
            return new
        } catch {
            let end = ContinuousClock.now
            restsUntil = end + max(Self.rest, end - began)
            lastFailure = error
            throw error
        }
    }

    private func takeSettingsCheck() -> Bool {
        queue.withLock { queue in
            defer { queue.checksSettings = false }
            return queue.checksSettings
        }
    }
}
