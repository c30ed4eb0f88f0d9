import Glibc

/// Keeps a second process away from a vault. A file of its own beside the database: closing any descriptor of the
/// database itself would drop SQLite's locks (POSIX advisory locks belong to the process, not to the descriptor).
final class DatabaseLock: Sendable {
    private let descriptor: Int32

    /// Throws `inUse` if another process, or another part of this one, holds it.
    init(path: String) throws(SQLiteStoreError) {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen("\(path).lock: \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: path)
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
