public import Sensitive

/// One value of a form to create an alias for (`docs/reference/vault-api.md` section 7).
public struct AliasItem: Sendable {
    /// The literal name of the field, or of the component of a serialized one.
    public let fieldName: String
    /// The text that gets an alias.
    public let value: SensitiveText
    /// The name of the alias's format.
    public let format: String
    /// Where the value is kept.
    public let storage: AliasStorage
    /// Tags of the value.
    public let classifiers: [String]
    /// How long the alias lives, in seconds (`docs/reference/vault-api.md` section 4); nil if the form does not limit it.
    public let ttl: Int?
}

extension Evaluation {
    /// The values to create aliases for, in form order; empty values are left out.
    public var aliasItems: [AliasItem] {
        var items: [AliasItem] = []
        for (index, field) in form.fields.enumerated() {
            guard let tokenization = field.tokenization else { continue }
            if results[index].output.isEmpty { continue }
            for entry in field.entries {
                items.append(
                    AliasItem(
                        fieldName: entry.name, value: SensitiveText(results[index].output.text(of: entry.part)),
                        format: tokenization.format,
                        storage: tokenization.storage, classifiers: tokenization.classifiers,
                        ttl: tokenization.ttl))
            }
        }
        return items
    }

    /// Number of alias items: as many aliases ``redactedBody(aliases:)`` and ``writeResult(aliases:into:)`` take.
    package var aliasItemCount: Int {
        form.fields.indices.reduce(0) { count, index in
            let field = form.fields[index]
            return field.tokenization == nil || results[index].output.isEmpty ? count : count + field.entries.count
        }
    }
}
