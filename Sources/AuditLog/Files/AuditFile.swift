import Crypto
import Glibc

/// The file that lines are appended to, and its head. For one thread at a time.
struct AuditFile: ~Copyable {
    private let path: String
    /// Beyond this many bytes the file is set aside, under the number of its last line.
    private let maxBytes: Int
    private let key: HMACSHA256
    private var descriptor: Int32 = -1
    private var head: Int32 = -1
    /// Bytes that are synced; what stands behind them is taken back before anything else is written.
    private var size: off_t = 0
    private var identity: (device: dev_t, file: ino_t) = (0, 0)

    init(path: String, maxBytes: Int, key: HMACSHA256) {
        self.path = path
        self.maxBytes = maxBytes
        self.key = key
    }

    deinit { Self.close(descriptor: descriptor, head: head) }

    /// Appends whole lines and syncs them. If it throws, none of them is there.
    mutating func append(_ lines: [UInt8], endingAt chain: AuditChain) throws(AuditFailure) {
        try openIfNeeded()
        do throws(AuditFailure) {
            try write(lines)
            guard fdatasync(descriptor) == 0 else { throw failure("cannot be synced") }
        } catch {
            // What a failed sync has left in the cache is not known: it is taken back and written again.
            // One that somebody has cut meanwhile stays as it is: it would be filled with zeros.
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_size > size { _ = ftruncate(descriptor, size) }
            Glibc.close(descriptor)
            descriptor = -1
            throw error
        }
        size += off_t(lines.count)
        writeHead(AuditHead(sequence: chain.sequence, code: chain.code))
        if size >= off_t(maxBytes) { setAside(chain.sequence) }
    }

    /// Throws if a log is there that can't be read: it would look like one that has lost its lines.
    func requireReadable() throws(AuditFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw failure("cannot be opened")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw AuditFailure("\(path) is not a regular file") }
        guard access(path, R_OK) == 0 else { throw failure("cannot be opened") }
    }

    /// Cuts off what a killed process has left unfinished behind the last whole line.
    mutating func cut(after length: Int) throws(AuditFailure) {
        try openIfNeeded()
        guard size > off_t(length) else { return }
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw failure("cannot be cut") }
        size = off_t(length)
    }

    /// Closes the files, so that another process may take the log over.
    mutating func close() {
        Self.close(descriptor: descriptor, head: head)
        descriptor = -1
        head = -1
    }

    private static func close(descriptor: Int32, head: Int32) {
        if descriptor >= 0 { Glibc.close(descriptor) }
        guard head >= 0 else { return }
        // Said explicitly: a child that is just being spawned has a copy of the descriptor, and with it the lock, until it executes.
        flock(head, LOCK_UN)
        Glibc.close(head)
    }

    /// If the file was moved or removed, a new one goes on with the chain.
    private mutating func openIfNeeded() throws(AuditFailure) {
        var status = stat()
        if descriptor >= 0 {
            let isThere = stat(path, &status) == 0
            if isThere && isTheSame(status) {
                // What somebody else has appended stays: the next lines stand behind it, and must not be cut off with it.
                size = status.st_size
                return
            }
            Glibc.close(descriptor)
            descriptor = -1
        }
        try lock()
        let isNew = !AuditFiles.exists(path)
        let opened = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw failure("cannot be opened") }
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, fchmod(opened, 0o600) == 0 else {
            Glibc.close(opened)
            throw AuditFailure("\(path) is not a file of this process's own")
        }
        if isNew { AuditFiles.noteNew(opened, of: path) }
        if identity == (status.st_dev, status.st_ino), status.st_size > size {
            guard ftruncate(opened, size) == 0 else {
                let failure = failure("cannot be cut")
                Glibc.close(opened)
                throw failure
            }
        } else {
            size = status.st_size
        }
        descriptor = opened
        identity = (status.st_dev, status.st_ino)
    }

    /// Whether it is the file that is open. One that is shorter was cut by somebody: it is taken as it is found.
    private func isTheSame(_ status: stat) -> Bool {
        status.st_dev == identity.device && status.st_ino == identity.file && status.st_size >= size
    }

    private func write(_ lines: [UInt8]) throws(AuditFailure) {
        var written = 0
        while written < lines.count {
            // Sound: the pointer is valid for the rest of `lines` during the call.
            let count = lines.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), lines.count - written)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                throw failure("cannot be written")
            }
        }
    }

    /// After the sync, so that the head is never ahead of the log. A head that cannot be written is behind: a cut up to
    /// there would go unnoticed, but every line still is where it belongs.
    private mutating func writeHead(_ new: AuditHead) {
        guard head >= 0, let bytes = new.bytes(key) else { return }
        _ = pwrite(head, bytes, bytes.count, 0)
    }

    /// Takes the head's lock, which keeps a second process away from the log: two would tear the chain.
    mutating func lock() throws(AuditFailure) {
        guard head < 0 else { return }
        AuditFiles.prepareFolder(of: path)
        let isNew = !AuditFiles.exists(AuditFiles.head(of: path))
        let opened = open(AuditFiles.head(of: path), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard opened >= 0 else { throw failure("cannot be opened beside its head") }
        if isNew { AuditFiles.noteNew(opened, of: path) }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(opened)
            throw AuditFailure("\(path) is in use by another process")
        }
        // A head that was made longer would never be right again.
        if AuditFiles.size(AuditFiles.head(of: path)) > AuditHead.length {
            _ = ftruncate(opened, off_t(AuditHead.length))
        }
        head = opened
    }

    /// The next line opens a new file.
    private mutating func setAside(_ sequence: Int) {
        let name = AuditFiles.setAside(path, endingAt: sequence)
        guard !AuditFiles.exists(name), rename(path, name) == 0 else { return }
        AuditFiles.syncEntry(of: path)
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func failure(_ what: String) -> AuditFailure {
        AuditFailure("\(path) \(what): \(String(cString: strerror(errno)))")
    }
}
