/// Reads the `file` of a file field (`docs/reference/fields.md` section 12).
struct FileLoader {
    let context: LoadContext

    /// The limit in bytes where the form gives none.
    private static let defaultMaxBytes = 24_000_000
    /// The greatest limit that a form may give: 1 TiB, or what an `Int` of 32 bits holds.
    private static let greatest = Int(clamping: Int64(1) << 40)
    /// Bytes of a submission that are reserved for braces, names and the other fields.
    private static let overhead = 1024

    /// A limit on bodies that leaves less for a file's content is probably not meant.
    private static let leastRoom = 1024

    /// - Parameter field: the field, which may have no `file`.
    func load(_ reader: DocumentReader?, of field: DocumentReader) -> FileLimits? {
        let fitting = context.bodyLimit.map { max(1, ($0 - Self.overhead) / 4 * 3) } ?? Self.greatest
        if let limit = context.bodyLimit, fitting < Self.leastRoom {
            field.warning(
                "server.limits.body (\(limit) bytes) leaves room for a file of fewer than \(fitting + 1) bytes: a larger one is refused"
            )
        }
        let defaults = FileLimits(maxBytes: min(Self.defaultMaxBytes, fitting), contentTypes: nil)
        guard let reader else { return defaults }
        guard let map = reader.map(keys: ["maxBytes", "contentTypes"]) else { return nil }
        let maxBytes = map["maxBytes"].map { limit($0, fitting: fitting) } ?? defaults.maxBytes
        let types = map["contentTypes"]?.list()
        if types?.isEmpty ?? false { map["contentTypes"]?.mistake("must not be empty; leave it out for any type") }
        return FileLimits(
            maxBytes: maxBytes ?? defaults.maxBytes, contentTypes: types?.compactMap { $0.choice(ContentType.self) })
    }

    private func limit(_ reader: DocumentReader, fitting: Int) -> Int? {
        guard let value = reader.int(in: 1...Self.greatest) else { return nil }
        if value <= fitting { return value }
        let needed = (Int64(value) + 2) / 3 * 4 + Int64(Self.overhead)
        reader.mistake("cannot fit server.limits.body; it would have to be at least \(needed) bytes")
        return nil
    }
}
