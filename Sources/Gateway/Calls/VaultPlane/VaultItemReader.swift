import Configuration
import FormSchema
import JSON
import Sensitive
import Vault

/// Reads the items of a create request. Errors name an item by its index, never by its value.
struct VaultItemReader {
    /// Items in order, or what is wrong.
    ///
    /// - Parameters:
    ///   - storage: the storage that referenced aliases must have, by the query; nil: any. A value has its own, so that it is refused beside
    ///     one: a card code whose storage stood in the query alone would be written to the disk.
    ///   - now: Unix seconds by the vault's clock, which decides when a value has ended.
    static func read(
        _ elements: [JSONValue], ofAliasesIn storage: Storage? = nil, now: Int64
    ) throws(CallError) -> [VaultItem] {
        var items: [VaultItem] = []
        for (index, element) in elements.enumerated() {
            items.append(try VaultItemReader(place: "data[\(index)]", aliasStorage: storage, now: now).read(element))
        }
        return items
    }

    private static let members = ["value", "alias", "format", "classifiers", "storage", "expires_at", "ttl"]

    private static let formats = AliasFormat.allCases.map(\.rawValue).joined(separator: ", ")

    private let place: String
    private let aliasStorage: Storage?
    private let now: Int64

    private func read(_ element: JSONValue) throws(CallError) -> VaultItem {
        guard let object = element.object else {
            throw malformed("must be an object with value or alias, and format, not \(element.kind)")
        }
        for member in object.members where !Self.members.contains(member.key) {
            throw malformed(
                "unknown member\(Self.shown(member.key)); allowed: \(Self.members.joined(separator: ", "))")
        }
        let format = try self.format(object["format"])
        let storage = try object["storage"].map { value throws(CallError) in try self.storage(value) }
        switch (object["value"], object["alias"]) {
        case (let value?, nil):
            guard aliasStorage == nil else {
                throw malformed("storage in the query is for aliases; a value has a member storage of its own")
            }
            guard let text = value.string else { throw malformed("value must be a string, not \(value.kind)") }
            let classifiers = try classifiers(object["classifiers"])
            return .value(
                SensitiveText(text), format: format, classifiers: classifiers, storage: storage ?? .persistent,
                expiresAt: try end(of: object))
        case (nil, let alias?):
            guard let text = alias.string, !text.isEmpty else { throw malformed("alias must be a string, not empty") }
            guard object["classifiers"] == nil else {
                throw malformed("classifiers go with a value, not with an alias")
            }
            guard object["expires_at"] == nil, object["ttl"] == nil else {
                throw malformed("expires_at and ttl go with a value, not with an alias")
            }
            // An alias can't have both storages, so it is not found.
            if let storage, let aliasStorage, storage != aliasStorage { throw .aliasesNotFound([text]) }
            return .reference(alias: text, format: format, storage: storage ?? aliasStorage)
        default: throw malformed("must have exactly one of value and alias")
        }
    }

    private func format(_ value: JSONValue?) throws(CallError) -> AliasFormat {
        guard let value else { throw malformed("format is missing; known: \(Self.formats)") }
        guard let name = value.string else { throw malformed("format must be a string") }
        guard let format = AliasFormat(rawValue: name) else {
            throw malformed("unknown format\(Self.shown(name)); known: \(Self.formats)")
        }
        return format
    }

    private func storage(_ value: JSONValue) throws(CallError) -> Storage {
        guard let storage = value.string.flatMap(Storage.init(rawValue:)) else { throw malformed(Storage.expected) }
        return storage
    }

    /// When the value expires, in Unix seconds (`docs/reference/vault-api.md` section 4); nil if it does not.
    private func end(of object: JSONObject) throws(CallError) -> Int64? {
        switch (object["expires_at"], object["ttl"]) {
        case (nil, nil): return nil
        case (let value?, nil):
            guard let text = value.string, let end = Instant.seconds(of: text) else {
                throw malformed("expires_at must be an instant such as 2026-11-21T18:37:05Z")
            }
            guard Int64(end) > now else { throw malformed("expires_at must lie in the future") }
            return Int64(end)
        case (nil, let value?):
            guard let text = value.string, let seconds = FormSchema.seconds(ofDuration: text) else {
                throw malformed("ttl " + FormSchema.durationRule)
            }
            return now + Int64(seconds)
        default: throw malformed("give one of expires_at and ttl")
        }
    }

    private func classifiers(_ value: JSONValue?) throws(CallError) -> [String] {
        guard let value else { return [] }
        guard let names = Self.texts(value) else { throw malformed("classifiers must be an array of strings") }
        return names
    }

    /// The strings of an array; nil if `value` is not an array of strings.
    static func texts(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// A name of the caller's behind a space, for an error message. One that is written as no name here is may be a value that stands in
    /// the wrong place, and is left out.
    static func shown(_ name: String) -> String {
        let isName = name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIIAlphanumeric && !$0.isDigit }
        return isName && 1...64 ~= name.utf8.count ? " " + name : ""
    }

    private func malformed(_ reason: String) -> CallError { .malformed("\(place): \(reason)") }
}
