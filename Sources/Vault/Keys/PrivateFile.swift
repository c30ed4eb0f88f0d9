import Crypto
import Glibc

/// Files that only their owner may read.
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

    /// Creates the file, which must not be there yet, with its directory, and syncs both: after a crash it is either there
    /// with these bytes or not there, because they are on disk before they get its name. What a crash leaves under another
    /// name is for `removeLeftovers`.
    static func create(_ path: String, _ bytes: [UInt8]) throws(VaultError) {
        prepareDirectory(of: path)
        let unfinished =
            path + unfinishedMark + Hexadecimal.encode(try crypto(try RandomPool().bytes(unfinishedDigits / 2)))
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let isNamed = isWritten && name(unfinished, path)
        let why = reason()
        close(descriptor)
        unlink(unfinished)
        guard isNamed else { throw .unusableMasterKey("\(path) could not be written: \(why)") }
        guard syncDirectory(of: path) else {
            let why = reason()
            unlink(path)
            throw .unusableMasterKey("\(path) could not be written: \(why)")
        }
    }

    /// Gives the file a second name, or another one where there are no second names (FAT, some mounts). The first, unlike a
    /// renaming, replaces nothing even if another process has just put something there.
    private static func name(_ unfinished: String, _ path: String) -> Bool {
        if link(unfinished, path) == 0 { return true }
        guard errno != EEXIST, access(path, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(unfinished, path) == 0
    }

    /// Removes what was left behind where `create` was interrupted: a part of the file, or a second name of all of it. A
    /// creation that another process is busy with fails then, if it has not got to the name yet.
    static func removeLeftovers(of path: String) {
        guard let entries = opendir(directory(of: path)) else { return }
        defer { closedir(entries) }
        let name = path.utf8.lastIndex(of: 0x2f).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let mark = Array((name + unfinishedMark).utf8)
        while let entry = readdir(entries) {
            // Sound: `d_name` is a NUL-terminated array inside the entry, which lives until the next `readdir`.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let digits = name.dropFirst(mark.count)
            guard name.starts(with: mark), digits.count == unfinishedDigits, digits.allSatisfy(Hexadecimal.isDigit)
            else { continue }
            unlinkat(dirfd(entries), String(decoding: name, as: UTF8.self), 0)
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

    /// Syncs the file and its directory. Throws `unusableMasterKey` if either cannot be.
    public static func sync(_ path: String) throws(VaultError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0, syncDirectory(of: path) else {
            throw .unusableMasterKey("\(path) cannot be synced: \(reason())")
        }
    }

    /// Syncs the directory entry of `path`.
    public static func syncDirectory(of path: String) -> Bool {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Stands behind the name of a file that is being written, with so many random digits behind it.
    private static let unfinishedMark = ".creating-"
    private static let unfinishedDigits = 8

    private static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2f) else { return "." }
        return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
