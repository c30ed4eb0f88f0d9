/// The master key that a process holds, and the one that is to follow it.
struct MasterKeys: Sendable {
    let current: MasterKey
    /// Nil if no change is under way, or if another process began it.
    var next: MasterKey?
}
