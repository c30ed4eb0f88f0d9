import JSON
import Sensitive
import Vault

/// Reads the items of a create request. What is wrong with one is said with its index and never with its value.
struct VaultItemReader {
    /// Items in order, or what is wrong.
    ///
    /// - Parameter storage: where aliases must live, if the call says it.
    static func read(
        _ elements: [JSONValue], ofAliasesIn storage: Storage? = nil
    ) throws(VaultProblem) -> [VaultItem] {
        var items: [VaultItem] = []
        for (index, element) in elements.enumerated() {
            items.append(try VaultItemReader(place: "data[\(index)]", aliasStorage: storage).read(element))
        }
        return items
    }

    private static let members = ["value", "alias", "format", "classifiers", "storage"]

    private let place: String
    private let aliasStorage: Storage?

    private func read(_ element: JSONValue) throws(VaultProblem) -> VaultItem {
        guard let object = element.object else { throw refusal("must be an object") }
        for member in object.members where !Self.members.contains(member.key) {
            throw refusal("unknown member \(Self.shown(member.key))")
        }
        let format = try self.format(object["format"])
        let storage = try object["storage"].map { value throws(VaultProblem) in try self.storage(value) }
        switch (object["value"], object["alias"]) {
        case (let value?, nil):
            guard let text = value.string else { throw refusal("value must be a string") }
            let classifiers = try classifiers(object["classifiers"])
            return .value(
                SensitiveText(text), format: format, classifiers: classifiers, storage: storage ?? .persistent)
        case (nil, let alias?):
            guard let text = alias.string, !text.isEmpty else { throw refusal("alias must be a string, not empty") }
            guard object["classifiers"] == nil else { throw refusal("classifiers go with a value, not with an alias") }
            // Of another storage than one of the two.
            if let storage, let aliasStorage, storage != aliasStorage { throw .unknownAliases([text]) }
            return .reference(alias: text, format: format, storage: storage ?? aliasStorage)
        default: throw refusal("must have exactly one of value and alias")
        }
    }

    private func format(_ value: JSONValue?) throws(VaultProblem) -> AliasFormat {
        guard let value else { throw refusal("format is missing") }
        guard let name = value.string else { throw refusal("format must be a string") }
        guard let format = AliasFormat(rawValue: name) else { throw refusal("unknown format \(Self.shown(name))") }
        return format
    }

    private func storage(_ value: JSONValue) throws(VaultProblem) -> Storage {
        guard let name = value.string, let storage = Storage(rawValue: name) else {
            throw refusal("storage must be PERSISTENT or VOLATILE")
        }
        return storage
    }

    private func classifiers(_ value: JSONValue?) throws(VaultProblem) -> [String] {
        guard let value else { return [] }
        guard let names = Self.texts(value) else { throw refusal("classifiers must be an array of strings") }
        return names
    }

    /// The strings of an array; nil if it is none, or holds anything else.
    static func texts(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let texts = elements.compactMap(\.string)
        return texts.count == elements.count ? texts : nil
    }

    /// A name that the caller chose, cut: it is to be recognised, not repeated at length.
    static func shown(_ name: String) -> String { name.utf8.count <= 64 ? name : "\(name.prefix(40))…" }

    private func refusal(_ reason: String) -> VaultProblem { .badRequest("\(place): \(reason)") }
}
