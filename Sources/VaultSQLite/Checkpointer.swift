import CSQLite
import Synchronization
import Threads
import Vault

/// Moves the log into the database, on a thread and a connection of its own, so that commits do not wait for it. As the writer goes on
/// meanwhile, there is always a rest: when it is small, the writer moves it and begins the log again. So the log is bounded, and the
/// pause is that of some hundred pages.
///
/// But not while somebody reads a state from before, as a backup does: the log can't be begun again, and grows with what is written until
/// that ends. The writer waits for a reader once in some seconds then, and looks without waiting in between.
final class Checkpointer: Sendable {
    private enum Rest: Int {
        case none
        case restart
        case truncate
    }

    private let connections: StoreConnections
    private let configuration: SQLiteStoreConfiguration
    private let signal = TimedSignal()
    private let rest = Atomic(Rest.none.rawValue)
    private let isClosing = Atomic(false)
    /// Whether a commit had no room: then the log is to be begun again early, as that gives it room.
    private let needsRoom = Atomic(false)
    /// After a checkpoint that failed: a full disk would be written to again and again.
    private let retry = Mutex(RetryPause())
    /// After a rest that others kept from being moved: until its end the writer does not wait for them.
    private let held = Mutex(RetryPause())
    private let wakesWriter: @Sendable () -> Void
    private let thread = Mutex<Worker?>(nil)

    /// - Parameter wakesWriter: makes the writer call `finishCheckpoint`, if it is asleep.
    init(
        _ connections: StoreConnections, _ configuration: SQLiteStoreConfiguration,
        wakesWriter: @escaping @Sendable () -> Void
    ) {
        self.connections = connections
        self.configuration = configuration
        self.wakesWriter = wakesWriter
    }

    /// Starts the thread.
    func start() throws(SQLiteStoreError) {
        let worker = Worker { [self] in
            cloakroom_name_database_thread("vault log")
            // Requests do not wait for this thread: on a busy core it has a third of the share of those they wait for. A lower one could
            // leave it too far behind the writer.
            cloakroom_lower_thread_priority(5)
            while case let isErasing = signal.wait(), !isClosing.load(ordering: .acquiring) {
                guard isErasing || isDue else { continue }
                let pause = retry.withLock { $0.rest() }
                if pause == .zero, moves() {
                    needsRoom.store(false, ordering: .relaxed)
                    // One that erases stays asked for until the writer has done it.
                    rest.max((isErasing ? Rest.truncate : .restart).rawValue, ordering: .releasing)
                    wakesWriter()
                } else if isErasing {
                    // A log that grows asks again by itself.
                    signal.raise(after: max(Self.pause, pause))
                }
            }
        }
        guard let worker else { throw .cannotOpen("the system gives no more threads") }
        thread.withLock { $0 = worker }
    }

    /// Before what failed is tried again.
    private static let pause = Duration.milliseconds(200)

    private var isDue: Bool {
        connections.log.pages >= configuration.checkpointPages || needsRoom.load(ordering: .relaxed)
    }

    /// Moves what is in the log, but for a rest that is small. Whether that went well.
    private func moves() -> Bool {
        connections.checkpoints.use { connection in
            guard let connection else { return false }
            do throws(SQLiteFailure) {
                var rounds = 0
                while try connection.checkpoint(.passive) > configuration.checkpointRest, rounds < 4 { rounds += 1 }
                retry.withLock { $0.succeeded() }
                return true
            } catch {
                if !error.isBusy { retry.withLock { $0.failed() } }
                if error.isInputOutput { connections.noteDoubt(error) }
                return false
            }
        }
    }

    /// Says that something was erased that must leave the log.
    func noteErasure() { signal.raise(after: configuration.eraseWithin / 2) }

    /// Says that a commit had no room.
    func noteFullDisk() {
        needsRoom.store(true, ordering: .relaxed)
        signal.raise()
    }

    /// Ends the thread and waits for its connection to be closed.
    func close() {
        isClosing.store(true, ordering: .releasing)
        signal.raise()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    // MARK: On the writer's thread

    /// Moves what the thread has left, if it is done; asks it for the next checkpoint, if one is due. Throws if a sync failed.
    func finishCheckpoint(on connection: SQLiteConnection) throws(SQLiteFailure) {
        let rest = Rest(rawValue: rest.exchange(Rest.none.rawValue, ordering: .acquiring)) ?? .none
        if rest != .none { try finish(rest, on: connection) }
        let pages = connections.log.pages
        guard retry.withLock({ $0.rest() }) == .zero else { return }
        if pages >= configuration.checkpointPages * 4 {
            try finish(.restart, on: connection)
        } else if pages >= configuration.checkpointPages, rest == .none {
            signal.raise()
        }
    }

    /// How long the writer waits for those that read, in milliseconds. The store's own reader is done by then.
    private static let patience: Int32 = 100

    private func finish(_ rest: Rest, on connection: SQLiteConnection) throws(SQLiteFailure) {
        let waits = held.withLock { $0.rest() } == .zero
        connection.setBusyTimeout(waits ? Self.patience : 0)
        defer { connection.setBusyTimeout(SQLiteConnection.busyTimeout) }
        do throws(SQLiteFailure) {
            guard try connection.checkpoint(rest == .truncate ? .truncate : .restart) == 0 else { throw .busy }
            connections.log.note(0)
            held.withLock { $0.succeeded() }
        } catch {
            // Readers were in the way, or the disk.
            if !error.isBusy { retry.withLock { $0.failed() } } else if waits { held.withLock { $0.failed() } }
            if rest == .truncate { signal.raise(after: Self.pause) }
            if error.isInputOutput { throw error }
        }
    }
}
