public import JSON

/// The bodies that an evaluated form becomes (`proxy.md` section 2, `vault-api.md` section 7).
extension Evaluation {
    /// The body for an upstream: each tokenizable value replaced by its alias.
    /// - Parameter aliases: one for each of `aliasItems`, in their order.
    /// - Returns: nil if there are not exactly as many aliases as items, so that no value can leave in place of one.
    public func redactedBody(aliases: [String]) -> [UInt8]? {
        guard aliases.count == aliasItemCount else { return nil }
        return body(to: .upstream) { outgoing, writer in
            writer.string(outgoing.aliasIndex.map { aliases[$0] } ?? outgoing.text)
        }
    }

    /// The body for a vault that does the redaction itself: every value as it is.
    public var rawBody: [UInt8] { body(to: .vault) { outgoing, writer in writer.string(outgoing.text) } }

    /// Writes the flat `data` of an answer: aliases, and the texts of fields without tokenization.
    /// - Returns: false, with nothing written, if there are not exactly as many aliases as items.
    public func writeResult(aliases: [String], into writer: inout JSONWriter) -> Bool {
        guard aliases.count == aliasItemCount else { return false }
        writer.beginObject()
        for outgoing in outgoing(to: .client) {
            writer.key(outgoing.entry.name)
            writer.string(outgoing.aliasIndex.map { aliases[$0] } ?? outgoing.text)
        }
        writer.endObject()
        return true
    }

    /// The form's JSON, compact.
    /// - Parameter write: writes the one value that stands for a text, whatever it is.
    func body(to destination: Destination, write: (OutgoingEntry, inout JSONWriter) -> Void) -> [UInt8] {
        let outgoing = outgoing(to: destination)
        var root = BodyNode.object([])
        for (number, outgoing) in outgoing.enumerated() { root.place(number, at: outgoing.entry.path[...]) }
        var writer = JSONWriter(capacity: 512)
        guard case .object(let members) = root else { return writer.bytes }
        BodyMerge(policy: form.mappingPolicy).write(members, into: submission.extraData, to: &writer) {
            number, writer in
            write(outgoing[number], &writer)
        }
        return writer.bytes
    }
}
