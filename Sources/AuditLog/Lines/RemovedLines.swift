/// Lines that the log itself has removed, as one of its later lines says.
struct RemovedLines: Sendable, Equatable {
    /// Number of the first one: they are all of those up to ``last``.
    let first: Int
    let last: AuditPosition
}
