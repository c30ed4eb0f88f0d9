import Logging
import Synchronization

/// The level from which on messages are logged: one for all copies of a logger, so that it can be changed while the process runs.
final class LogLevel: Sendable {
    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        index = Atomic(Self.index(of: level))
    }

    var value: Logger.Level {
        get {
            let levels = Logger.Level.allCases
            let index = index.load(ordering: .relaxed)
            return levels.indices.contains(index) ? levels[index] : .info
        }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
