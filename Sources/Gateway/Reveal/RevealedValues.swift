import JSON
import Sensitive

/// The values behind a request's aliases.
struct RevealedValues {
    private let values: [String: SensitiveText]

    init(_ values: [String: SensitiveText]) {
        self.values = values
    }

    /// What the text stands for, if it is an alias, byte for byte: a dictionary also finds what is canonically equivalent.
    subscript(_ text: String) -> String? {
        guard let index = values.index(forKey: text), values[index].key.hasSameBytes(as: text) else { return nil }
        return values[index].value.exposed
    }

    var isEmpty: Bool { values.isEmpty }
    /// The aliases, in an order that is always the same.
    var aliases: [String] { values.keys.sorted() }
}
