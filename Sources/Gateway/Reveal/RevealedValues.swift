import Sensitive

/// The values behind a request's aliases.
struct RevealedValues {
    private let values: [String: SensitiveText]

    init(_ values: [String: SensitiveText]) {
        self.values = values
    }

    /// What the text stands for, if it is an alias.
    subscript(_ text: String) -> String? { values[text]?.exposed }

    var isEmpty: Bool { values.isEmpty }
    /// The aliases, in an order that is always the same.
    var aliases: [String] { values.keys.sorted() }
}
