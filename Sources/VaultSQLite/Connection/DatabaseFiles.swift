import Glibc
import Vault

/// The database and the log beside it, as files of the system: SQLite itself does not notice when they are exchanged.
struct DatabaseFiles {
    private let path: String
    private let logPath: String
    private let database: FileIdentity?
    private var log: FileIdentity?
    /// Keeps other processes away only as long as it has its name.
    private let lock: FileIdentity?

    /// Remembers which file the database is. It must be open.
    init(path: String) {
        self.path = path
        logPath = Self.resolved(path) + "-wal"
        database = FileIdentity(at: path)
        lock = FileIdentity(at: DatabaseLock.place(beside: path))
    }

    /// The name of the file itself, whatever symbolic links lead to it: what SQLite keeps beside a database stands there.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether what is written still goes to the files that another process, or the next one, will find: a file that was removed
    /// or exchanged takes whatever is written to it, and all of it is lost with the last one who has it open.
    mutating func areInPlace() -> Bool {
        guard FileIdentity(at: DatabaseLock.place(beside: path)) == lock else { return false }
        guard FileIdentity(at: path) == database, let found = FileIdentity(at: logPath) else { return false }
        if log == nil { log = found }
        return log == found
    }

    /// Drops a log that lies beside a database whose header says that it has none: a copy was put in the place of the database to
    /// which the log belonged, and SQLite would put the old pages into it.
    ///
    /// A vault's header says that it has a log (2 in bytes 18 and 19 of the SQLite file format) before the log is begun, and
    /// as long as it lives; the header of a copy says that it has none (1).
    ///
    /// For the holder of the vault's lock, before it opens the database.
    static func dropForeignLog(beside path: String) throws(SQLiteStoreError) {
        let place = resolved(path)
        guard hasLog(beside: place), saysNoLog(place) else { return }
        for suffix in ["-wal", "-shm"] {
            guard unlink(place + suffix) == 0 || errno == ENOENT else {
                throw .cannotOpen("\(place)\(suffix) belongs to another database and cannot be removed")
            }
        }
        guard PrivateFile.syncDirectory(of: place) else {
            throw .cannotOpen("\(place): its directory cannot be synced")
        }
    }

    /// Writes the log once more, with the bytes that it has, and syncs it: after a failed sync the system takes pages for written that
    /// are not, and no later sync would write them. To be called while no connection writes. Returns whether it went well.
    static func rewriteLog(beside path: String) -> Bool {
        let descriptor = open(resolved(path) + "-wal", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        while true {
            let count = pread(descriptor, &piece, piece.count, offset)
            guard count >= 0 else { return false }
            if count == 0 { return fsync(descriptor) == 0 }
            guard pwrite(descriptor, piece, count, offset) == count else { return false }
            offset += count
        }
    }

    /// Throws if this process may only read the database, and opening it would create the log and the log's index. SQLite creates them with
    /// the mode of the database: read-only ones would keep the database read-only after its own mode was corrected.
    ///
    /// A database that another process has open has both files already, and reading one whose header says that it has no log creates none.
    static func requireWritable(_ path: String) throws(SQLiteStoreError) {
        let place = resolved(path)
        guard access(place, W_OK) != 0 else { return }
        let reason = String(cString: strerror(errno))
        guard let header = header(place), header != (1, 1),
            FileIdentity(at: place + "-wal") == nil || FileIdentity(at: place + "-shm") == nil
        else { return }
        throw .cannotOpen("\(path): \(reason)")
    }

    /// Whether there is a log beside the database.
    static func hasLog(beside path: String) -> Bool { FileIdentity(at: resolved(path) + "-wal") != nil }

    /// What databases of SQLite begin with.
    static let beginning = Array("SQLite format 3\0".utf8)

    /// Whether the header says that there is no log.
    private static func saysNoLog(_ path: String) -> Bool { header(path).map { $0 == (1, 1) } ?? false }

    /// How the header says that the database is to be written and read: 2 with a log, 1 without one. Nil if it is no header.
    private static func header(_ path: String) -> (writing: UInt8, reading: UInt8)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 20)
        // Sound: as many bytes as there is room for.
        guard read(descriptor, &header, header.count) == header.count, header.starts(with: beginning) else {
            return nil
        }
        return (header[18], header[19])
    }
}

/// Which file it is, whatever its name.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// Nil if there is none of that name.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
