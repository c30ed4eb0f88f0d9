public import JSON

/// The bodies that an evaluated form becomes (`proxy.md` section 2, `vault-api.md` section 7).
extension Evaluation {
    /// The body for an upstream: each tokenizable value replaced by its alias.
    /// - Parameter aliases: one for each of `aliasItems`, in their order.
    /// - Returns: nil if there are not exactly as many aliases as items, so that no value can leave in place of one.
    public func redactedBody(aliases: [String]) -> [UInt8]? {
        guard aliases.count == aliasItemCount else { return nil }
        return body(to: .upstream) { .text(text(of: $0, aliases)) }
    }

    /// The body for a vault that does the redaction itself: every value as it is.
    public var rawBody: [UInt8] { body(to: .vault) { .text(text(of: $0)) } }

    /// Writes the flat `data` of an answer: aliases, and the texts of fields without tokenization.
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

    /// A text, or the alias that stands for it.
    private func text(of outgoing: OutgoingEntry, _ aliases: [String]) -> String {
        if let index = outgoing.aliasIndex { aliases[index] } else { text(of: outgoing) }
    }

    /// The form's JSON, compact.
    /// - Parameter leaf: the one value that stands for a text, whatever it is.
    @inline(__always)
    func body(to destination: Destination, leaf: (OutgoingEntry) -> BodyMerge.Leaf) -> [UInt8] {
        let outgoing = outgoing(to: destination)
        // Nearly always every entry goes out, and where they stand is known beforehand.
        let places =
            outgoing.count == form.entryCount
            ? form.bodyPlaces : BodyNode.members(placing: outgoing.map { form.fields[$0.field].entries[$0.part] })
        var writer = JSONWriter(capacity: 512)
        BodyMerge(policy: form.mappingPolicy, leaves: outgoing.map(leaf), text: submission.text)
            .write(places, into: submission.extraData, to: &writer)
        return writer.bytes
    }
}
