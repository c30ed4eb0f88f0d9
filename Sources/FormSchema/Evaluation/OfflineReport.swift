public import JSON
internal import Sensitive

/// What `cloakroom evaluate` writes besides the verdict: the outgoing bodies, with placeholders in place of aliases and, without
/// `--reveal`, of the text of fields. `extraData` is shown as it is.
extension Evaluation {
    /// Writes `payload`, `aliasRequest` and `result`; all null if something stops the request.
    /// - Parameters:
    ///   - destination: where the form's route sends it.
    ///   - reveals: whether submitted text may be shown.
    ///   - isRefused: whether the form's guard stops it.
    ///   - masked: a body as the guard lets it go to a destination.
    public func writeOutgoing(
        to destination: Destination, reveals: Bool, isRefused: Bool = false,
        masked: (_ body: [UInt8], _ destination: Destination) -> [UInt8] = { body, _ in body },
        into writer: inout JSONWriter
    ) {
        guard refusal == nil, !isRefused else {
            for key: StaticString in ["payload", "aliasRequest", "result"] {
                writer.key(key)
                writer.null()
            }
            return
        }
        writer.key("payload")
        var standIns = StandIns()
        let payload = body(to: destination) {
            reveals ? .text(text(of: $0, &standIns, to: destination)) : .json(placeholder(for: $0))
        }
        writer.verbatim(standIns.restored(in: masked(payload, destination)))
        writeAliasRequest(reveals: reveals, into: &writer)
        writer.key("result")
        writer.verbatim(masked(result(reveals: reveals), .client))
    }

    private func result(reveals: Bool) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        for outgoing in outgoing(to: .client) {
            writer.key(name(of: outgoing))
            if reveals, outgoing.aliasIndex == nil {
                writer.string(text(of: outgoing))
            } else {
                writePlaceholder(for: outgoing, into: &writer)
            }
        }
        writer.endObject()
        return writer.bytes
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

    private func placeholder(for outgoing: OutgoingEntry) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writePlaceholder(for: outgoing, into: &writer)
        return writer.bytes
    }

    /// Writes the placeholder of a text that is not shown. Empty text needs none.
    private func writePlaceholder(for outgoing: OutgoingEntry, into writer: inout JSONWriter) {
        guard !text(of: outgoing).isEmpty else { return writer.string("") }
        writer.beginObject()
        if let tokenization = form.fields[outgoing.field].tokenization {
            writer.key("alias")
            writer.string(tokenization.format)
        } else {
            writer.key("withheld")
            writer.string(name(of: outgoing))
        }
        writer.endObject()
    }
}
