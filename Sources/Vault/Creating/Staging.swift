import Synchronization

/// What a create request has reserved or prepared outside the store, to be published after the commit or taken back.
final class Staging: Sendable {
    struct Contents: Sendable {
        /// Aliases reserved for the store.
        var persistentReservations: [String] = []
        /// Aliases reserved for memory.
        var volatileReservations: [String] = []
        /// Volatile values to publish.
        var records: [VolatileRecord] = []
        /// Further aliases of volatile values.
        var additions: [(id: Int64, alias: Alias)] = []
    }

    private let contents = Mutex(Contents())

    init() {}

    /// Adds to the contents.
    func add(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
    }

    /// Takes the contents out.
    func take() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }
}
