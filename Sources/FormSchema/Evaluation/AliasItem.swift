public import Sensitive

/// One value of a form that is to be aliased (`vault-api.md` section 7).
public struct AliasItem: Sendable {
    /// The literal name of the field, or of the component of a serialized one.
    public let fieldName: String
    public let value: SensitiveText
    public let format: String
    public let storage: AliasStorage
    public let classifiers: [String]
}

extension Evaluation {
    /// The values to alias, in form order; empty ones make none.
    public var aliasItems: [AliasItem] {
        var items: [AliasItem] = []
        for (index, field) in form.fields.enumerated() {
            guard let tokenization = field.tokenization else { continue }
            for (part, entry) in field.entries.enumerated() {
                if results[index].isEmpty(entry: part) { continue }
                items.append(
                    AliasItem(
                        fieldName: entry.name, value: SensitiveText(results[index].text(ofEntry: part)),
                        format: tokenization.format,
                        storage: tokenization.storage, classifiers: tokenization.classifiers))
            }
        }
        return items
    }

    /// How many items there are.
    var aliasItemCount: Int {
        form.fields.indices.reduce(0) { count, index in
            let field = form.fields[index]
            if field.tokenization == nil { return count }
            return count + field.entries.indices.count { !results[index].isEmpty(entry: $0) }
        }
    }
}
