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

    /// Says, for whoever finds the lock taken, where its holder can be reached.
    func announce(_ address: String) {
        let bytes = Array((address + "\n").utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    /// What the holder of the lock announced, empty if nothing; nil if nobody holds it.
    static func announcement(path: String) -> String? {
        let descriptor = open(path + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return String(decoding: bytes.prefix(count).prefix { $0 != 0x0a }, as: UTF8.self)
    }

    /// Lets another process have the vault. Said explicitly, as a child that is just being spawned has a copy of the
    /// descriptor until it executes.
    func release() {
        flock(descriptor, LOCK_UN)
    }

    deinit {
        release()
        close(descriptor)
    }
}
