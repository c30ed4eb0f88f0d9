import Glibc

/// Files that nobody but their owner may read.
public enum PrivateFile {
    /// Whether something is there.
    public static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The whole file. Refuses one that others may read or write, one that is not a plain file, and one that is
    /// longer than `maximum` bytes.
    static func read(_ path: String, maximum: Int) throws(VaultError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusableMasterKey("\(path) is not a plain file")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unusableMasterKey("\(path) may be read by others; its mode must be 0600")
        }
        var bytes = [UInt8](repeating: 0, count: maximum + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        guard count <= maximum else { throw .unusableMasterKey("\(path) is too long for a key") }
        return Array(bytes.prefix(count))
    }

    /// Creates the file, which must not be there yet, with its directory, and syncs both: after a crash it is either
    /// there with these bytes or not there.
    static func create(_ path: String, _ bytes: [UInt8]) throws(VaultError) {
        prepareDirectory(of: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        close(descriptor)
        guard isWritten, syncDirectory(of: path) else {
            let why = reason()
            unlink(path)
            throw .unusableMasterKey("\(path) could not be written: \(why)")
        }
    }

    /// Makes the directories that lead to `path`, for the owner alone. What fails here shows when the file is opened.
    public static func prepareDirectory(of path: String) {
        var end = path.utf8.startIndex
        while let slash = path.utf8[end...].firstIndex(of: 0x2f) {
            let directory = String(path[..<slash])
            if !directory.isEmpty { mkdir(directory, 0o700) }
            end = path.utf8.index(after: slash)
        }
    }

    /// Syncs the directory entry of `path`.
    public static func syncDirectory(of path: String) -> Bool {
        let parent = path.utf8.lastIndex(of: 0x2f).map { $0 == path.utf8.startIndex ? "/" : String(path[..<$0]) }
        let descriptor = open(parent ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
