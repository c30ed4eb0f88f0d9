import JSON
import Sensitive
import Vault

/// A stored value as the vault plane shows it (reference, vault-api section 2).
enum StoredValueText {
    static func write(_ stored: StoredValue, into json: inout JSONWriter) {
        json.beginObject()
        json.key("value")
        json.string(stored.value.exposed)
        json.key("classifiers")
        json.beginArray()
        for name in stored.classifiers { json.string(name) }
        json.endArray()
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
        json.string(InstantText.seconds(stored.createdAt))
        json.key("storage")
        json.string(stored.storage.rawValue)
        json.endObject()
    }
}
