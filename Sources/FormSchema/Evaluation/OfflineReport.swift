public import JSON
internal import Sensitive

/// What a guard stops of a valid submission.
public enum GuardedReport: Sendable {
    case nothing
    /// What would be sent to the form's route.
    case payload
    /// What `aliases` would return, and so all of it.
    case all
}

/// What `cloakroom evaluate` writes besides the verdict: the outgoing bodies. A field that has an alias is shown by a placeholder in `result`;
/// so is it in `payload` without `--reveal`, and every other text of a field then. `extraData` is shown as the guard lets it pass.
extension Evaluation {
    /// Writes `payload`, `aliasRequest` and `result`; null what is not made.
    /// - Parameters:
    ///   - destination: where the form's route sends it.
    ///   - reveals: whether submitted text may be shown.
    ///   - stopped: what of it a guard refuses.
    ///   - masked: a body as the guard lets it go to a destination.
    public func writeOutgoing(
        to destination: Destination, reveals: Bool, stopped: GuardedReport = .nothing,
        masked: (_ body: [UInt8], _ destination: Destination) -> [UInt8] = { body, _ in body },
        into writer: inout JSONWriter
    ) {
        guard refusal == nil, stopped != .all else {
            for key: StaticString in ["payload", "aliasRequest", "result"] {
                writer.key(key)
                writer.null()
            }
            return
        }
        writer.key("payload")
        if stopped == .payload {
            writer.null()
        } else {
            var standIns = StandIns()
            let payload = body(to: destination) {
                reveals ? .text(text(of: $0, &standIns, to: destination)) : .json(placeholder(for: $0))
            }
            writer.verbatim(standIns.restored(in: masked(payload, destination)))
        }
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
