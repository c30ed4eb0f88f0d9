import Configuration
import JSON
import Sensitive
import Vault

/// A stored value as the vault plane shows it (docs/reference/vault-api.md section 2).
///
/// Bodies are written here and not in the calls, which are `async`: a short value would be inline in an async frame, which is not
/// wiped when it ends.
enum StoredValueText {
    /// Bytes of the values.
    static func byteCount(_ revealed: [RevealedAlias]) -> Int {
        revealed.reduce(0) { $0 + $1.stored.value.exposed.utf8.count }
    }

    /// `{"data": {alias: stored, …}}`.
    @inline(never)
    static func object(_ revealed: [RevealedAlias]) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * revealed.count + 32)
        json.beginObject()
        json.key("data")
        json.beginObject()
        for entry in revealed {
            json.key(entry.alias)
            write(entry.stored, into: &json)
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// `{"data": [stored, …]}`.
    @inline(never)
    static func array(_ revealed: [RevealedAlias]) -> [UInt8] { array(revealed.map(\.stored)) }

    /// `{"data": [stored, …]}`.
    @inline(never)
    static func array(_ values: [StoredValue]) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * values.count + 32)
        json.beginObject()
        json.key("data")
        json.beginArray()
        for value in values { write(value, into: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ stored: StoredValue, into json: inout JSONWriter) {
        json.beginObject()
        json.key("value")
        json.string(stored.value.exposed)
        json.key("classifiers")
        json.strings(stored.classifiers)
        json.key("aliases")
        json.beginArray()
        for alias in stored.aliases {
            json.beginObject()
            json.key("alias")
            json.string(alias.alias)
            json.key("format")
            json.string(alias.format.rawValue)
            json.endObject()
        }
        json.endArray()
        json.key("created_at")
        json.string(Instant.text(seconds: stored.createdAt))
        if let end = stored.expiresAt {
            json.key("expires_at")
            json.string(Instant.text(seconds: end))
        }
        json.key("storage")
        json.string(stored.storage.rawValue)
        json.endObject()
    }
}
