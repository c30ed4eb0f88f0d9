import Synchronization

/// What tasks gather together.
final class Gathering<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func add(_ change: @Sendable (inout Value) -> Void) { content.withLock { change(&$0) } }
}
