public import JSON

/// The bodies that an evaluated form becomes (`proxy.md` section 2, `vault-api.md` section 7).
extension Evaluation {
    /// The body for an upstream: each tokenizable value replaced by its alias.
    /// - Parameter aliases: one for each of `aliasItems`, in their order.
    /// - Returns: nil if there are not exactly as many aliases as items, so that no value can leave in place of one.
    public func redactedBody(aliases: [String]) -> [UInt8]? {
        guard aliases.count == aliasItemCount else { return nil }
        return body(to: .upstream) { $0.aliasIndex.map { .string(aliases[$0]) } }
    }

    /// The body for a vault that does the redaction itself: every value as it is.
    public var rawBody: [UInt8] { body(to: .vault) { _ in nil } }

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
    /// - Parameter replacement: what stands in place of a text; nil for the text itself.
    func body(to destination: Destination, replacement: (OutgoingEntry) -> JSONValue?) -> [UInt8] {
        var builder = BodyBuilder(policy: form.mappingPolicy)
        for outgoing in outgoing(to: destination) {
            builder.set(replacement(outgoing) ?? .string(outgoing.text), at: outgoing.entry.path)
        }
        var writer = JSONWriter(capacity: 512)
        writer.value(builder.body(mergedInto: submission.extraData))
        return writer.bytes
    }
}
