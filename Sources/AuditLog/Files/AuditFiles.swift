import Crypto
import Glibc

/// The files of one log: those that were set aside, oldest first, and the current one; the log's head; and their folder.
public enum AuditFiles {
    /// Digits of the number in the name of a file that was set aside: enough for names to sort like numbers.
    private static let digits = 16

    /// The name under which a file is set aside whose last line has this number.
    static func setAside(_ path: String, endingAt sequence: Int) -> String {
        let number = String(sequence)
        return path + "." + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number
    }

    /// Number of the last line of a file that was set aside, as its name says; nil if the name says none. Whether the file was set aside,
    /// the name alone does not tell: the current file's own may end so (``setAside(_:)``).
    static func lastSequence(ofSetAside path: String) -> Int? {
        let number = path.utf8.suffix(digits)
        guard path.utf8.dropLast(digits).last == UInt8(ascii: "."), number.count == digits,
            number.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int(String(decoding: Array(number), as: UTF8.self))
    }

    /// The last lines whose removal a file records; nil if it records none.
    static func removedLines(in path: String, key: HMACSHA256) -> RemovedLines? {
        guard var reader = AuditLineReader(path) else { return nil }
        var removed: RemovedLines?
        while let next = reader.next() {
            guard next.isWhole, AuditLine.recordsRemoval(next.bytes[...]) else { continue }
            removed = AuditLine(next.bytes[...], key: key)?.removed ?? removed
        }
        return removed
    }

    /// Bytes of a file; 0 if it is not there.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Bytes of several files together; what is more than a number holds counts as the greatest.
    static func size(of paths: [String]) -> Int {
        paths.reduce(0) { sum, path in
            let (total, isMore) = sum.addingReportingOverflow(size(path))
            return isMore ? .max : total
        }
    }

    /// Those that were set aside, oldest first.
    static func setAside(_ path: String) -> [String] {
        let folder = folder(of: path)
        let prefix = name(of: path) + "."
        let names = entries(of: folder).filter { name in
            let number = name.dropFirst(prefix.count)
            return name.hasPrefix(prefix) && number.count == digits && number.allSatisfy { $0.isASCII && $0.isNumber }
        }
        return names.map { folder == "." ? $0 : folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
    }

    /// Names of what there is of the log at `path`: of many files that were set aside the oldest and the newest.
    public static func names(of path: String) -> [String] {
        let old = setAside(path)
        let some = old.count > 3 ? ["\(old[0]) to \(old[old.count - 1])"] : old
        return some + [path, head(of: path)].filter(exists)
    }

    /// All of them that are there.
    static func all(_ path: String) -> [String] { setAside(path) + (exists(path) ? [path] : []) }

    /// Whether a file is an audit log, of any vault: one of its first lines begins as lines do, or there is nothing in it.
    public static func isLog(_ path: String) -> Bool {
        guard let bytes = AuditBytes.read(path, limit: 65_536) else { return false }
        return bytes.split(separator: 0x0A).contains { AuditLine.begins($0) } || AuditLine.isBeginning(bytes)
    }

    /// Path of the head of the log at `path`.
    public static func head(of path: String) -> String { path + ".head" }

    /// What there is of the head of the log at `path`.
    static func head(of path: String, key: HMACSHA256) -> FoundHead {
        guard let bytes = AuditBytes.read(head(of: path), limit: 256) else { return .absent }
        if let head = AuditHead(bytes, key: key) { return .whole(head) }
        return AuditHead.mayBeTorn(bytes) ? .torn : .changed
    }

    /// Throws if the log or its head is a symbolic link: files that are set aside, and new ones, would be put beside the link, not beside
    /// the log.
    static func requireNoLink(_ path: String) throws(AuditFailure) {
        var status = stat()
        for name in [path, head(of: path)] where lstat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK {
            throw AuditFailure("\(name) is a symbolic link: audit.file must name the log itself")
        }
    }

    /// Whether a file, by its name, is one of the log at `path`, or would be one if it were there.
    public static func isFile(_ file: String, of path: String) -> Bool {
        var (own, other) = (stat(), stat())
        guard stat(folder(of: path), &own) == 0, stat(folder(of: file), &other) == 0,
            (own.st_dev, own.st_ino) == (other.st_dev, other.st_ino)
        else { return false }
        let (name, log) = (name(of: file), name(of: path))
        if name == log || name == head(of: log) { return true }
        return lastSequence(ofSetAside: name) != nil && name.utf8.dropLast(digits + 1).elementsEqual(log.utf8)
    }

    /// Whether there is anything of the log at `path`.
    public static func isThere(_ path: String) -> Bool {
        exists(path) || exists(head(of: path)) || !setAside(path).isEmpty
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Makes the folders that lead to `path`, for the owner alone, and syncs the entry of each that it has made. What fails here shows when
    /// the file is opened.
    static func prepareFolder(of path: String) {
        for (index, byte) in path.utf8.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
            let folder = String(decoding: path.utf8.prefix(index), as: UTF8.self)
            if mkdir(folder, 0o700) == 0 { syncEntry(of: folder) }
        }
    }

    /// Syncs the entry of a new file, and gives it to the owner of its folder: an operator's command makes it for the process that serves.
    static func noteNew(_ descriptor: CInt, of path: String) {
        var status = stat()
        if geteuid() == 0, stat(folder(of: path), &status) == 0 {
            _ = fchown(descriptor, status.st_uid, status.st_gid)
        }
        syncEntry(of: path)
    }

    /// Syncs the entry of `path` in its folder, so that a crash does not lose the file's name. What fails here loses no line:
    /// the file itself is synced with every write.
    static func syncEntry(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Names in a folder, sorted by their bytes; none if it cannot be read.
    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // Sound: `d_name` is a NUL-terminated array inside the entry, which lives until the next `readdir`.
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// What there is of a log's head.
enum FoundHead {
    case whole(AuditHead)
    /// There is a file, but no whole head in it: it is written without a sync, so that a power cut may leave parts of heads, and zeros.
    case torn
    /// Something stands there that is no part of a head.
    case changed
    case absent

    /// The line that it names.
    var position: AuditPosition? {
        if case .whole(let head) = self { head.position } else { nil }
    }
}
