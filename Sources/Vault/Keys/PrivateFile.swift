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
    ///
    /// - Parameter credentials: the directory of this service's credentials, where systemd has made one. With `DynamicUser` an ACL
    ///   lets the service's user read a file that stays root's, and the group's bits of the mode then show what the ACL may grant: 0440.
    ///   The directory itself is closed to everybody else.
    static func read(
        _ path: String, maximum: Int, credentials: String? = environment("CREDENTIALS_DIRECTORY")
    ) throws(VaultError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusableMasterKey("\(path) is not a plain file")
        }
        guard status.st_mode & 0o077 == 0 || isCredential(path, status, in: credentials) else {
            throw .unusableMasterKey("\(path) may be read by others; its mode must be 0600\(remedy(status))")
        }
        var bytes = [UInt8](repeating: 0, count: maximum + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .unusableMasterKey("\(path): \(reason())") }
        guard count <= maximum else { throw .unusableMasterKey("\(path) is too long for a key") }
        return Array(bytes.prefix(count))
    }

    /// Whether it is a file in the directory of the service's credentials that only its group may read besides its owner.
    private static func isCredential(_ path: String, _ status: stat, in directory: String?) -> Bool {
        guard let directory, let place = resolved(directory), let file = resolved(path) else { return false }
        return file.hasPrefix(place + "/") && [0, geteuid()].contains(status.st_uid) && status.st_mode & 0o037 == 0
    }

    /// Where others than the file's owner have set the mode.
    private static func remedy(_ status: stat) -> String {
        guard status.st_mode & 0o037 == 0 else { return "" }
        return """
             (0440 in the $CREDENTIALS_DIRECTORY of systemd). Where Kubernetes mounts it for a group (fsGroup), pass it in an \
            environment variable: vault.masterKey.env
            """
    }

    private static func environment(_ name: String) -> String? {
        // Sound: the text is copied before anything else can run; nothing in this process changes the environment.
        getenv(name).map { String(cString: $0) }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Creates the file, which must not be there yet, with its directory, and syncs both: after a crash it is either there
    /// with these bytes or not there, because they are on disk before they get its name. What a crash leaves under another
    /// name is for `removeLeftovers`.
    static func create(_ path: String, _ bytes: [UInt8]) throws(VaultError) {
        prepareDirectory(of: path)
        let unfinished = try unfinished(path)
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

    /// A name beside `path` for a file that is to get that name when it is complete. What a crash leaves under it is for
    /// `removeLeftovers`.
    public static func unfinished(_ path: String) throws(VaultError) -> String {
        path + unfinishedMark + Hexadecimal.encode(try crypto(try RandomPool().bytes(unfinishedDigits / 2)))
    }

    /// Gives the file a second name, or another one where there are no second names (FAT, some mounts). The first, unlike a
    /// renaming, replaces nothing even if another process has just put something there.
    public static func name(_ unfinished: String, _ path: String) -> Bool {
        if link(unfinished, path) == 0 { return true }
        guard errno != EEXIST, access(path, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(unfinished, path) == 0
    }

    /// Removes what was left behind where `create` was interrupted: a part of the file, or a second name of all of it. A
    /// creation that another process is busy with fails then, if it has not got to the name yet. With a database goes the journal that
    /// SQLite keeps beside it.
    public static func removeLeftovers(of path: String) {
        guard let entries = opendir(directory(of: path)) else { return }
        defer { closedir(entries) }
        let name = path.utf8.lastIndex(of: 0x2f).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let mark = Array((name + unfinishedMark).utf8)
        while let entry = readdir(entries) {
            // Sound: `d_name` is a NUL-terminated array inside the entry, which lives until the next `readdir`.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let digits = name.dropFirst(mark.count).prefix(unfinishedDigits)
            let rest = name.dropFirst(mark.count + unfinishedDigits)
            guard name.starts(with: mark), digits.count == unfinishedDigits, digits.allSatisfy(Hexadecimal.isDigit),
                rest.isEmpty || rest.elementsEqual("-journal".utf8)
            else { continue }
            unlinkat(dirfd(entries), String(decoding: name, as: UTF8.self), 0)
        }
    }

    /// Makes the directories that lead to `path`, for the owner alone, and syncs the entry of each that it has made. What fails here shows
    /// when the file is opened.
    public static func prepareDirectory(of path: String) {
        var end = path.utf8.startIndex
        while let slash = path.utf8[end...].firstIndex(of: 0x2f) {
            let directory = String(path[..<slash])
            if !directory.isEmpty, mkdir(directory, 0o700) == 0 { _ = syncDirectory(of: directory) }
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
