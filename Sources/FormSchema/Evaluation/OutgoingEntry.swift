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
    /// Its field, among the form's.
    let field: Int
    /// Its entry, among the field's.
    let part: Int
    /// Its place among the alias items, if it is one.
    let aliasIndex: Int?
}

extension Evaluation {
    /// What goes to `destination`, in form order.
    func outgoing(to destination: Destination) -> [OutgoingEntry] {
        var outgoing: [OutgoingEntry] = []
        outgoing.reserveCapacity(form.entryCount)
        var aliasCount = 0
        for index in form.fields.indices {
            let field = form.fields[index]
            let isEmpty = results[index].output.isEmpty
            for part in field.entries.indices {
                let isAliased = field.tokenization != nil && !isEmpty
                defer { if isAliased { aliasCount += 1 } }
                if isEmpty, form.omitEmptyFields { continue }
                guard field.sends(isEmpty: isEmpty, to: destination) else { continue }
                outgoing.append(OutgoingEntry(field: index, part: part, aliasIndex: isAliased ? aliasCount : nil))
            }
        }
        return outgoing
    }

    /// The name that it goes under.
    func name(of outgoing: OutgoingEntry) -> String { form.fields[outgoing.field].entries[outgoing.part].name }

    /// What it says.
    func text(of outgoing: OutgoingEntry) -> String {
        results[outgoing.field].output.text(of: form.fields[outgoing.field].entries[outgoing.part].part)
    }
}

extension Field {
    /// Whether a text of this field goes to `destination` at all: numbers and codes without tokenization only to a vault,
    /// though an upstream is told that they are empty; to a client neither these, nor files, nor what was to be tokenized
    /// and is empty.
    fileprivate func sends(isEmpty: Bool, to destination: Destination) -> Bool {
        let isWithheld = type.isSensitive && tokenization == nil
        return switch destination {
        case .vault: true
        case .upstream: !isWithheld || isEmpty
        case .client: !isWithheld && type != .file && (tokenization == nil || !isEmpty)
        }
    }
}
