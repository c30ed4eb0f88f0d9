/// Where an evaluated form goes, which decides what of it may be seen there.
public enum Destination: Sendable {
    /// Raw, to a vault that redacts for itself.
    case vault
    /// Redacted, to a merchant's server: aliases in place of values (`proxy.md` section 2).
    case upstream
    /// The flat answer to the client that asked for aliases (`vault-api.md` section 7).
    case client
}

/// One text of a form on its way out, under the name of its field or component.
struct OutgoingEntry {
    let entry: Field.Entry
    let field: Field
    let text: String
    /// Its place among the alias items, if it is one.
    let aliasIndex: Int?
}

extension Evaluation {
    /// What goes to `destination`, in form order. Left out are numbers and codes without tokenization, except to a vault;
    /// empty texts, if the form omits them; files and empty tokenized fields, from the answer to a client.
    func outgoing(to destination: Destination) -> [OutgoingEntry] {
        var outgoing: [OutgoingEntry] = []
        var aliasCount = 0
        for (field, result) in zip(form.fields, results) {
            for (entry, text) in zip(field.entries, result.texts) {
                let isAliased = field.tokenization != nil && !text.isEmpty
                defer { if isAliased { aliasCount += 1 } }
                if text.isEmpty, form.omitEmptyFields { continue }
                let isHiddenFromClient = field.type == .file || (field.tokenization != nil && text.isEmpty)
                if destination == .client, isHiddenFromClient { continue }
                if destination != .vault, field.type.isSensitive, field.tokenization == nil { continue }
                outgoing.append(
                    OutgoingEntry(
                        entry: entry, field: field, text: text, aliasIndex: isAliased ? aliasCount : nil))
            }
        }
        return outgoing
    }
}
