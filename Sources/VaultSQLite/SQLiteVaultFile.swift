import Glibc
public import Vault

/// A vault's file as a second process may use it while the first one serves: it only reads, once the old log beside a restored
/// copy is dropped.
public struct SQLiteVaultFile {
    private let path: String

    /// Names the file; nothing is opened yet.
    public init(path: String) {
        self.path = path
    }

    /// Where the process that has the vault open can be reached, empty if it has not said; nil if there is none.
    public var address: String? { DatabaseLock.announcement(path: path) }

    /// The vault's id and its keys, still wrapped, and where its audit log stands.
    public func keys(
        anchorOf log: Int64
    ) throws(SQLiteStoreError) -> (vaultID: [UInt8], keys: [KeyRecord], anchor: AuditAnchor?) {
        try prepare()
        do {
            let connection = try connection()
            let found = try Schema.version(connection, path: path)
            guard found == Schema.version else {
                throw SQLiteStoreError.unsupportedVersion(found: Int(found), expected: Int(Schema.version))
            }
            let vault = try connection.prepare("SELECT id FROM vault LIMIT 1")
            guard try vault.step() else { throw SQLiteStoreError.notAVault(path: path) }
            let keys = try connection.prepare("SELECT \(RowReading.keyColumns) FROM key ORDER BY id")
            var rows: [KeyRecord] = []
            while try keys.step() {
                guard let key = RowReading.key(keys) else { throw SQLiteStoreError.damaged("a key of unknown purpose") }
                rows.append(key)
            }
            let select = try connection.prepare(RowReading.selectAnchor)
            select.bind(log, at: 1)
            var anchor: AuditAnchor?
            if try select.step() {
                anchor = try AuditAnchor(
                    log: log, sequence: select.integer(0), code: select.bytes(1), tag: select.bytes(2))
            }
            return (vault.bytes(0), rows, anchor)
        } catch let error as SQLiteStoreError {
            throw error
        } catch let failure as SQLiteFailure {
            throw SQLiteStoreError(failure)
        } catch {
            throw .damaged("\(error)")
        }
    }

    /// Copies the vault, as it is at one moment, into a new file that only its owner may read. The copy opens with the
    /// same master key. Neither commits nor reveals of the serving process wait for it. Blocks until the copy is synced.
    ///
    /// SQLite keeps that moment's state for it until the end: so long the serving process can't cut its log, which grows with what is
    /// written, and in which what is deleted stays.
    ///
    /// The file gets its name when it is complete: what a kill leaves behind has another one, and is removed by the next backup into
    /// the same file.
    ///
    /// Throws `cannotCopy` if the file is there already, is one of the vault's own, or cannot be written; then nothing of it stays.
    ///
    /// - Parameter report: called now and then with the bytes of the copy and about how many it will have.
    public func backup(
        to target: String, _ report: (_ written: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(SQLiteStoreError) {
        try unnamedCopy(for: target, report).name()
    }

    /// Copies the vault as ``backup(to:_:)`` does, but for the name, which the caller gives: what is to be known of a copy that is there can
    /// be recorded before.
    public func unnamedCopy(
        for target: String, _ report: (_ written: Int, _ all: Int) -> Void = { _, _ in }
    ) throws(SQLiteStoreError) -> UnnamedCopy {
        try prepare()
        let place = try Self.place(of: target)
        let own = DatabaseFiles.resolved(path)
        guard !SQLiteStoreConfiguration.suffixes.contains(where: { own + $0 == place }) else {
            throw .cannotCopy("\(target): is the vault's database, or beside it")
        }
        var status = stat()
        guard lstat(place, &status) != 0 else { throw .cannotCopy("\(target): it is there already") }
        PrivateFile.removeLeftovers(of: place)
        let unfinished: String
        do { unfinished = try PrivateFile.unfinished(place) } catch { throw .cannotCopy("\(target): \(error)") }
        let made = UnnamedCopy(unfinished, place: place, target: target)
        try copy(to: unfinished, as: target, report)
        return made
    }

    /// The whole path of a file that is to be made, through no link: SQLite takes some names, such as `:memory:` and `file:copy.db`,
    /// for something else than files, but none that begins with a slash.
    private static func place(of target: String) throws(SQLiteStoreError) -> String {
        let parts = target.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty, name != ".", name != "..", !target.utf8.contains(0) else {
            throw .cannotCopy("\(target) is no name of a file")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        guard let resolved = realpath(folder, nil) else { throw .cannotCopy("\(target): \(reason)") }
        defer { free(resolved) }
        let whole = String(cString: resolved)
        return whole == "/" ? "/\(name)" : "\(whole)/\(name)"
    }

    fileprivate static var reason: String {
        errno == EEXIST ? "it is there already" : String(cString: strerror(errno))
    }

    /// Makes the file and fills it, synced.
    private func copy(
        to place: String, as target: String, _ report: (_ written: Int, _ all: Int) -> Void
    ) throws(SQLiteStoreError) {
        let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotCopy("\(target): \(Self.reason)") }
        defer { close(descriptor) }
        do {
            // SQLite takes an empty file for none.
            let connection = try connection()
            let copy = try connection.prepare("VACUUM INTO ?1")
            copy.bind(place, at: 1)
            let pages = try connection.number("PRAGMA page_count") - (try connection.number("PRAGMA freelist_count"))
            let bytes = Int(pages) * Int(try connection.number("PRAGMA page_size"))
            try connection.watch({ report(Self.size(of: descriptor), bytes) }, during: copy.run)
        } catch {
            throw error.isDamage ? SQLiteStoreError(error) : .cannotCopy("\(target): \(error.reason)")
        }
        guard Self.size(of: descriptor) > 0 else { throw .cannotCopy("\(target): nothing was written into it") }
        guard fsync(descriptor) == 0 else { throw .cannotCopy("\(target): it cannot be synced") }
    }

    /// Bytes of an open file; 0 if the system does not say.
    private static func size(of descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    private func prepare() throws(SQLiteStoreError) {
        try DatabaseLock.requireOneName(path)
        // The process that holds the lock has looked already, and has the database open.
        if DatabaseFiles.hasLog(beside: path), let lock = try? DatabaseLock(path: path) {
            defer { lock.release() }
            try DatabaseFiles.dropForeignLog(beside: path)
        }
        try DatabaseFiles.requireWritable(path)
    }

    private func connection() throws(SQLiteFailure) -> SQLiteConnection {
        try SQLiteConnection(path: path)
    }
}

/// A complete copy of a vault, synced, that has not got its name yet. Where it gets none it is removed, with the journal that SQLite keeps
/// beside a copy that it cannot complete.
public struct UnnamedCopy: ~Copyable {
    private let unfinished: String
    private let place: String
    private let target: String

    fileprivate init(_ unfinished: String, place: String, target: String) {
        self.unfinished = unfinished
        self.place = place
        self.target = target
    }

    deinit { for suffix in ["", "-journal"] { unlink(unfinished + suffix) } }

    /// Gives the copy its name. Throws `cannotCopy` if something has that name meanwhile, or it cannot be synced.
    public consuming func name() throws(SQLiteStoreError) {
        guard PrivateFile.name(unfinished, place) else { throw .cannotCopy("\(target): \(SQLiteVaultFile.reason)") }
        guard PrivateFile.syncDirectory(of: place) else {
            unlink(place)
            throw .cannotCopy("\(target): it cannot be synced")
        }
    }
}
