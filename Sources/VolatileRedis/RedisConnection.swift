import EventIO
import Sensitive

/// A connection to the server, after it has shown that its settings keep values in memory. Belongs to its loop's thread.
final class RedisConnection {
    private let socket: Socket
    private let reader: RedisReader
    private let timeout: Duration
    private var buffer = [UInt8](repeating: 0, count: 16_384)

    /// Connects, presents the credentials and checks the settings, all within the timeout.
    init(_ configuration: RedisConfiguration, on loop: EventLoop) async throws(RedisFailure) {
        guard let reader = RedisReader() else { throw .unreachable("out of memory") }
        let deadline = MonotonicTime.now + configuration.timeout
        self.reader = reader
        timeout = configuration.timeout
        do throws(IOError) {
            socket = try await Socket.connect(
                to: configuration.host, port: configuration.port, on: loop, deadline: deadline)
        } catch { throw .unreachable("\(error)") }
        do throws(RedisFailure) {
            socket.deadline = deadline
            try await secure(configuration)
            try await greet(configuration)
            try await checkSettings()
        } catch {
            socket.close()
            throw error
        }
    }

    deinit { socket.close() }

    /// Ends it: what waits for a reply fails.
    func close() { socket.close() }

    private func secure(_ configuration: RedisConfiguration) async throws(RedisFailure) {
        guard let tls = configuration.tls else { return }
        do throws(IOError) {
            try await socket.secure(asClient: tls, of: configuration.certificateName ?? configuration.host)
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private func greet(_ configuration: RedisConfiguration) async throws(RedisFailure) {
        var commands: [RedisCommand] = []
        if let password = configuration.password {
            if let username = configuration.username {
                commands.append(RedisCommand("AUTH", username, password.exposed))
            } else {
                commands.append(RedisCommand("AUTH", password.exposed))
            }
        }
        if configuration.database != 0 { commands.append(RedisCommand("SELECT", "\(configuration.database)")) }
        for reply in try await exchange(commands) {
            if let word = reply.refusal { throw .refused(word) }
        }
    }

    /// Throws `unsuitable` if the server may write what it keeps to a disk, or drop it before its end.
    func checkSettings() async throws(RedisFailure) {
        let names = RedisServerSettings.names
        let replies = try await exchange(names.map { RedisCommand("CONFIG", "GET", $0) })
        var settings = RedisServerSettings()
        for (name, reply) in zip(names, replies) {
            if let word = reply.refusal {
                // LOADING and the like say nothing of the settings.
                let failure = RedisFailure.refused(word)
                throw failure.endsConnection
                    ? failure : .unsuitable(["its settings can't be read (CONFIG GET): \(word)"])
            }
            if let list = reply.list, list.count >= 2, let value = list[1].text { settings[name] = value }
        }
        let faults = settings.faults
        guard faults.isEmpty else { throw .unsuitable(faults) }
    }

    /// Whether the peer is still there and has nothing to say.
    var isUsable: Bool { (try? socket.isQuiet()) ?? false }

    /// Sends the commands in one go and reads a reply to each, in order.
    func exchange(_ commands: [RedisCommand]) async throws(RedisFailure) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let deadline = MonotonicTime.now + timeout
        socket.deadline = deadline
        reader.begin()
        var replies: [RedisReply] = []
        do throws(IOError) {
            try await socket.write(commands.flatMap(\.bytes))
        } catch { throw RedisFailure(error) }
        while replies.count < commands.count {
            if let reply = try reader.next() {
                replies.append(reply)
                continue
            }
            // A read that does not have to wait does not look at the deadline.
            guard MonotonicTime.now < deadline else { throw .late }
            let count: Int
            do throws(IOError) { count = try await socket.read(into: &buffer) } catch { throw RedisFailure(error) }
            guard count > 0 else { throw .lost }
            try reader.take(buffer[..<count])
        }
        socket.deadline = nil
        return replies
    }
}
