import Crypto

/// Rows about callers. Their content is stored behind a tag over all of the row, so that a count, an end or a guess that was changed or
/// moved to another row is noticed. A row that is missing, or one that was put back as it once was, is not.
extension Sealer {
    private static let tagSize = 16

    /// The record as it is stored.
    func tagged(_ record: AccessRecord, by keys: IntegrityKeys) throws(VaultError) -> AccessRecord {
        let content = try tag(record, keys).bytes + record.content
        return AccessRecord(record.kind, name: record.name, content: content, forgottenAt: record.forgottenAt)
    }

    /// The record that is stored in this one. Throws `damaged` unless this vault wrote it.
    func untagged(_ stored: AccessRecord, by keys: IntegrityKeys) throws(VaultError) -> AccessRecord {
        let record = AccessRecord(
            stored.kind, name: stored.name, content: Array(stored.content.dropFirst(Self.tagSize)),
            forgottenAt: stored.forgottenAt)
        guard let known = RecordTag(bytes: Array(stored.content.prefix(Self.tagSize))),
            try tag(record, keys).matches(known)
        else { throw .damaged(alias: nil) }
        return record
    }

    private func tag(_ record: AccessRecord, _ keys: IntegrityKeys) throws(VaultError) -> RecordTag {
        var data = preamble(.access, capacity: 90)
        data.append(bigEndian: record.kind.rawValue)
        data.append(bigEndian: record.forgottenAt)
        data.append(bigEndian: Int64(record.name.count))
        data.append(contentsOf: record.name)
        return RecordTag(try crypto(try keys.access.code(prefix: data, message: record.content)))
    }
}
