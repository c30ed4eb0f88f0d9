public import JSON
internal import Sensitive

/// What an offline evaluation tells besides the verdict: the outgoing bodies with placeholders in place of aliases, and,
/// unless it reveals, of all submitted text.
extension Evaluation {
    /// Writes `payload`, `aliasRequest` and `result`; all null if something stops the request.
    /// - Parameters:
    ///   - destination: where the form's route leads.
    ///   - reveals: whether submitted text may be shown.
    public func writeOutgoing(to destination: Destination, reveals: Bool, into writer: inout JSONWriter) {
        guard refusal == nil else {
            for key: StaticString in ["payload", "aliasRequest", "result"] {
                writer.key(key)
                writer.null()
            }
            return
        }
        writer.key("payload")
        writer.verbatim(body(to: destination) { reveals ? nil : Self.placeholder(for: $0) })
        writeAliasRequest(reveals: reveals, into: &writer)
        writer.key("result")
        writer.beginObject()
        for outgoing in outgoing(to: .client) {
            writer.key(outgoing.entry.name)
            let isShown = reveals && outgoing.aliasIndex == nil
            writer.value(isShown ? .string(outgoing.text) : Self.placeholder(for: outgoing) ?? .string(""))
        }
        writer.endObject()
    }

    private func writeAliasRequest(reveals: Bool, into writer: inout JSONWriter) {
        writer.key("aliasRequest")
        writer.beginArray()
        for item in aliasItems {
            writer.beginObject()
            writer.key("fieldName")
            writer.string(item.fieldName)
            writer.key("format")
            writer.string(item.format)
            writer.key("storage")
            writer.string(item.storage.rawValue)
            if reveals {
                writer.key("value")
                writer.string(item.value.exposed)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    /// What stands in place of a text that is not shown; nil for an empty one.
    private static func placeholder(for outgoing: OutgoingEntry) -> JSONValue? {
        guard !outgoing.text.isEmpty else { return nil }
        var object = JSONObject()
        if let tokenization = outgoing.field.tokenization {
            object.set("alias", .string(tokenization.format))
        } else {
            object.set("withheld", .string(outgoing.entry.name))
        }
        return .object(object)
    }
}
