import Synchronization

/// What is used by one thread at a time, and may be exchanged in between.
///
/// `@unchecked Sendable`: the content is touched only under the lock.
final class Exclusive<Content>: @unchecked Sendable {
    private let lock = Mutex(())
    private var content: Content?

    init() {}

    func use<Result>(_ body: (inout Content?) -> Result) -> Result {
        lock.withLock { _ in body(&content) }
    }
}
