import Glibc
import Synchronization

/// Keeps a second process away from a vault. A file of its own beside the database: closing any descriptor of the
/// database itself would drop SQLite's locks (POSIX advisory locks belong to the process, not to the descriptor).
final class DatabaseLock: Sendable {
    private let descriptor: Int32
    /// What could not be written yet, for want of room.
    private let unwritten = Mutex<String?>(nil)

    /// Throws `inUse` if another process, or another part of this one, holds it; `cannotOpen` if the database has a second name
    /// that a second lock could stand beside.
    init(path: String) throws(SQLiteStoreError) {
        try Self.requireOneName(path)
        let place = Self.place(beside: path)
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        var descriptor = open(place, flags | O_CREAT | O_EXCL, 0o600)
        if descriptor >= 0 {
            Self.giveToOwner(of: path, descriptor)
        } else if errno == EEXIST {
            descriptor = open(place, flags)
        }
        guard descriptor >= 0 else { throw .cannotOpen("\(place): \(String(cString: strerror(errno)))") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: path)
        }
        self.descriptor = descriptor
        // Removes the address of the process that held it before.
        _ = ftruncate(descriptor, 0)
    }

    /// A command that an operator calls as root makes the file for the process that serves, as SQLite does with its own. No link is
    /// followed: whoever owns the folder would be given a file elsewhere.
    private static func giveToOwner(of path: String, _ descriptor: Int32) {
        var status = stat()
        if geteuid() == 0, stat(path, &status) == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    }

    /// A symbolic link can be followed; of two hard links each is the file. SQLite looks for what is not yet in the database
    /// beside the name that it is given.
    static func requireOneName(_ path: String) throws(SQLiteStoreError) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_nlink <= 1 || status.st_mode & S_IFMT != S_IFREG else {
                throw .cannotOpen("\(path) has another name (a hard link)")
            }
        } else if lstat(path, &status) == 0 {
            throw .cannotOpen("\(path) is a link that leads nowhere")
        }
    }

    static func place(beside path: String) -> String { DatabaseFiles.resolved(path) + ".lock" }

    /// Writes where this process can be reached, for commands that find the lock taken.
    func announce(_ address: String) {
        unwritten.withLock { $0 = address }
        retryAnnouncement()
    }

    /// Writes it if the disk was full before.
    func retryAnnouncement() {
        unwritten.withLock { address in
            guard let text = address else { return }
            let bytes = Array((text + "\n").utf8)
            // What is there is written over first, which needs no room on a full disk.
            if pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, ftruncate(descriptor, bytes.count) == 0 {
                address = nil
            }
        }
    }

    /// What the holder of the lock announced, empty if nothing; nil if no process holds it.
    static func announcement(path: String) -> String? {
        let descriptor = open(place(beside: path), O_RDONLY | O_CLOEXEC)
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
