/// Reads the `file` of a file field (`fields.md` section 12).
struct FileLoader {
    let context: LoadContext

    /// The most that a file may have, in bytes, where the form does not say.
    private static let defaultMaxBytes = 24_000_000
    /// The most that a form may say; memory ends long before.
    private static let greatest = 1 << 40
    /// Bytes of a submission besides the file: braces, names, the other fields.
    private static let overhead = 1024

    func load(_ reader: DocumentReader?, at field: DocumentReader) -> FileLimits? {
        let fitting = context.bodyLimit.map { max(1, ($0 - Self.overhead) / 4 * 3) } ?? Self.greatest
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
        let needed = (value + 2) / 3 * 4 + Self.overhead
        reader.mistake("cannot fit server.limits.body; it would have to be at least \(needed) bytes")
        return nil
    }
}
