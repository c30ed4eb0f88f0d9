import JSON
import Sensitive
import Vault

/// The items of a create request as the API writes them, and the response matched with them by position.
enum RemoteItems {
    /// `{"data":[{value, format, storage, classifiers?}, …]}`.
    static func body(_ items: [VaultItem]) -> [UInt8] {
        var json = JSONWriter(capacity: 128 * items.count + 16)
        json.beginObject()
        json.key("data")
        json.beginArray()
        for item in items { write(item, into: &json) }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    private static func write(_ item: VaultItem, into json: inout JSONWriter) {
        json.beginObject()
        switch item {
        case .value(let value, let format, let classifiers, let storage, _):
            json.key("value")
            json.string(value.exposed)
            json.key("format")
            json.string(format.rawValue)
            json.key("storage")
            json.string(storage.rawValue)
            guard !classifiers.isEmpty else { break }
            json.key("classifiers")
            json.strings(classifiers)
        case .reference(let alias, let format, let storage):
            json.key("alias")
            json.string(alias)
            json.key("format")
            json.string(format.rawValue)
            guard let storage else { break }
            json.key("storage")
            json.string(storage.rawValue)
        }
        json.endObject()
    }

    /// Bytes of the longest alias that is taken.
    private static let longestAlias = 4_096

    /// One alias an item; nil if the response is not `{"data":[…]}` with exactly as many items, each with the value that was
    /// sent at its position, if it has one, and an alias of the format that was asked for; or if an alias is or holds a value of the
    /// request, or is too long or has control characters.
    static func aliases(in response: JSONValue, for items: [VaultItem]) -> [String]? {
        guard let data = response.object?["data"]?.array, data.count == items.count else { return nil }
        var aliases: [String] = []
        for (element, item) in zip(data, items) {
            guard let stored = element.object, let alias = alias(in: stored, for: item) else { return nil }
            aliases.append(alias)
        }
        // Nor may it hold one, of whichever item, unless that is so short that it may by chance.
        let values = items.compactMap(\.longValue)
        let holdsOne = aliases.lazy.map(\.ungrouped).contains { alias in
            values.contains { alias.firstRange(of: $0) != nil }
        }
        return holdsOne ? nil : aliases
    }

    private static func isText(_ alias: String) -> Bool {
        (1...longestAlias).contains(alias.utf8.count)
            && alias.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    private static func alias(in stored: JSONObject, for item: VaultItem) -> String? {
        let wanted: AliasFormat
        var sent: String?
        switch item {
        case .value(let value, let format, _, _, _): (wanted, sent) = (format, value.exposed)
        case .reference(_, let format, _): wanted = format
        }
        if let value = stored["value"], let sent, value.string?.hasSameBytes(as: sent) != true { return nil }
        let entry = stored["aliases"]?.array?.first { $0.object?["format"]?.string == wanted.rawValue }
        guard let alias = entry?.object?["alias"]?.string, isText(alias) else { return nil }
        // What is handed on as an alias must never be the value.
        return sent.map(alias.hasSameBytes(as:)) == true ? nil : alias
    }
}

extension VaultItem {
    /// The value without spaces and hyphens, if it has more bytes than an alias may have of it by chance.
    fileprivate var longValue: [UInt8]? {
        guard case .value(let value, _, _, _, _) = self else { return nil }
        let bare = value.exposed.ungrouped
        return bare.count > 8 ? bare : nil
    }
}
