public import JSON

/// One text to be sent, under the name of its field or component.
struct OutgoingEntry {
    /// Index of its field.
    let field: Int
    /// Index of its entry, among the field's.
    let part: Int
    /// Its index among the alias items; nil if it has no alias.
    let aliasIndex: Int?
}

extension Evaluation {
    /// The texts for `destination`, in form order.
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

    /// The name under which it is sent.
    func name(of outgoing: OutgoingEntry) -> String { form.fields[outgoing.field].entries[outgoing.part].name }

    /// The text itself.
    func text(of outgoing: OutgoingEntry) -> String {
        results[outgoing.field].output.text(of: form.fields[outgoing.field].entries[outgoing.part].part)
    }
}

extension Field {
    /// Whether a text of this field is sent to `destination`. Card numbers and codes without tokenization are sent to a VGS tenant only;
    /// an upstream gets them if they are empty. A client gets neither these, nor files, nor tokenizable fields that are empty.
    fileprivate func sends(isEmpty: Bool, to destination: Destination) -> Bool {
        let isWithheld = type.isSensitive && tokenization == nil
        return switch destination {
        case .vgs: true
        case .upstream: !isWithheld || isEmpty
        case .client: !isWithheld && type != .file && (tokenization == nil || !isEmpty)
        }
    }
}

/// The bodies made of an evaluated form (`docs/reference/proxy.md` section 2, `docs/reference/vault-api.md` section 7).
extension Evaluation {
    /// The body for an upstream: each tokenizable value replaced by its alias.
    /// - Parameter aliases: one for each of `aliasItems`, in their order.
    /// - Returns: nil if there are not exactly as many aliases as items, so that no value can be sent in place of an alias.
    public func redactedBody(aliases: [String]) -> [UInt8]? {
        guard aliases.count == aliasItemCount else { return nil }
        return body(to: .upstream) { .text(text(of: $0, aliases)) }
    }

    /// The body for a vault proxy that does the redaction: every value unchanged.
    public var rawBody: [UInt8] { body(to: .vgs) { .text(text(of: $0)) } }

    /// Writes the flat `data` of a response: aliases, and the texts of fields without tokenization.
    /// - Returns: false, with nothing written, if there are not exactly as many aliases as items.
    public func writeResult(aliases: [String], into writer: inout JSONWriter) -> Bool {
        guard aliases.count == aliasItemCount else { return false }
        writer.beginObject()
        for outgoing in outgoing(to: .client) {
            writer.key(name(of: outgoing))
            writer.string(text(of: outgoing, aliases))
        }
        writer.endObject()
        return true
    }

    /// A text, or its alias.
    private func text(of outgoing: OutgoingEntry, _ aliases: [String]) -> String {
        if let index = outgoing.aliasIndex { aliases[index] } else { text(of: outgoing) }
    }

    /// The form's JSON, compact.
    /// - Parameter leaf: the value to write for a text.
    @inline(__always)
    func body(to destination: Destination, leaf: (OutgoingEntry) -> BodyMerge.Leaf) -> [UInt8] {
        let outgoing = outgoing(to: destination)
        // Usually every entry is sent, and the tree of all places was built with the form.
        let places =
            outgoing.count == form.entryCount
            ? form.bodyPlaces : BodyNode.members(placing: outgoing.map { form.fields[$0.field].entries[$0.part].path })
        var writer = JSONWriter(capacity: 512)
        BodyMerge(policy: form.mappingPolicy, leaves: outgoing.map(leaf), text: submission.text)
            .write(places, into: submission.extraData, to: &writer)
        return writer.bytes
    }
}
