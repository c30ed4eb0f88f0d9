/// Entries with the responses of requests that were carried out, which the vault could not store: held in memory, for a later try. Until one
/// succeeds, other processes say that the request has not finished.
///
/// Limit: what does not fit, or could not be stored for so long, is dropped, and ends with the process; then the claim stays.
struct HeldResponses {
    struct Entry {
        let name: [UInt8]
        let bytes: [UInt8]
        /// Until when it is tried: milliseconds of the elapsed time.
        let end: Int64
    }

    /// Bytes that are held at once.
    static let limit = 16 << 20

    private var entries: [Entry] = []
    private var bytes = 0

    /// Adds an entry in place of an earlier one of the name, if there is room.
    mutating func add(_ entry: Entry) {
        remove(entry.name)
        guard Self.size(entry) <= Self.limit - bytes else { return }
        entries.append(entry)
        bytes += Self.size(entry)
    }

    /// What is held under a name.
    func bytes(of name: [UInt8]) -> [UInt8]? { entries.first { $0.name == name }?.bytes }

    /// The entry that was added first. Drops those that have been held for too long.
    mutating func first(at now: Int64) -> Entry? {
        for entry in entries where entry.end <= now { remove(entry.name) }
        return entries.first
    }

    mutating func remove(_ name: [UInt8]) {
        entries.removeAll { entry in
            guard entry.name == name else { return false }
            bytes -= Self.size(entry)
            return true
        }
    }

    /// With what an entry takes in memory besides.
    private static func size(_ entry: Entry) -> Int { entry.bytes.count + 256 }
}
