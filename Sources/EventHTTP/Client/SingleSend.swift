import Synchronization

/// Makes a request reach its upstream at most once: it is not repeated on another connection once a byte of it was written. Says
/// afterwards whether one was, when the exchange has failed.
public final class SingleSend: Sendable {
    private let written = Atomic(false)

    /// Nothing is written yet.
    public init() {}

    /// Whether the upstream may have got the request, or a part of it.
    public var wasWritten: Bool { written.load(ordering: .relaxed) }

    func markWritten() { written.store(true, ordering: .relaxed) }
}
