import CPostgres
import Glibc
import Sensitive
import Synchronization
import Threads

/// An attempt to make a connection, on a thread of its own, so that the thread that waits for it can give it up.
///
/// libpq's function that connects cannot be interrupted, while it looks up a name or waits for a host. Those with which a caller waits
/// itself would not go on to the next host of a URL once `connect_timeout` is over. What comes of an attempt that was given up is closed.
final class PostgresAttempt: Sendable {
    /// What libpq has made; nil if there was no memory.
    ///
    /// `@unchecked Sendable`: the thread that takes it has it for itself.
    private struct Made: @unchecked Sendable {
        let connection: OpaquePointer?
    }

    private enum State {
        case trying
        case made(Made)
        case givenUp
    }

    private let state = Mutex(State.trying)
    /// Something can be read from it once the attempt has ended.
    private let ended: CInt

    private init() throws(PostgresStoreError) {
        ended = cloakroom_pq_eventfd()
        guard ended >= 0 else { throw .cannotConnect("the process has no more file descriptors") }
    }

    deinit { close(ended) }

    /// Connects. What it returns may be a connection that could not be made: its status tells.
    ///
    /// - Parameter parameters: names and values, as libpq takes them.
    static func connect(
        _ parameters: [(name: String, value: SensitiveText)], _ waitLimit: PostgresWaitLimit
    ) throws(PostgresStoreError) -> OpaquePointer {
        let attempt = try PostgresAttempt()
        let connect: @Sendable () -> Void = {
            let connection = withCStrings(parameters.map(\.name)) { names in
                withCStrings(parameters.map(\.value.exposed)) { cloakroom_pq_connect(names, $0) }
            }
            attempt.end(Made(connection: connection))
        }
        // Where the system has no thread to give, the caller connects itself, and cannot give up.
        if Worker(connect) == nil { connect() }
        _ = waitLimit.wait(for: attempt.ended)
        guard let made = attempt.take() else {
            throw .cannotConnect("the server does not respond, and the process ends")
        }
        guard let connection = made.connection else { throw .cannotConnect("out of memory") }
        return connection
    }

    private func end(_ made: Made) {
        let isWanted = state.withLock { state in
            if case .givenUp = state { return false }
            state = .made(made)
            return true
        }
        guard isWanted else {
            if let connection = made.connection { cloakroom_pq_finish(connection) }
            return
        }
        var one: UInt64 = 1
        _ = write(ended, &one, 8)
    }

    /// What was made; nil if nothing was yet: then the attempt is given up.
    private func take() -> Made? {
        state.withLock { state in
            defer { state = .givenUp }
            if case .made(let made) = state { return made }
            return nil
        }
    }

    /// A list of C strings that ends in NULL, for the time of the call.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
        // Sound: each offset is that of a text with its NUL in `bytes`, which lives until `body` returns.
        return bytes.withUnsafeBufferPointer { memory in
            let pointers = offsets.map { offset in memory.baseAddress.map { $0 + offset } } + [nil]
            return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }
}
