package import Sensitive

extension Evaluation {
    /// The texts that card fields send: the card numbers that are meant to be in a body for a vault.
    package var cardNumbers: [SensitiveText] {
        form.fields.indices.filter { form.fields[$0].type == .cardNumber && !results[$0].output.isEmpty }.flatMap {
            index in
            form.fields[index].entries.map { SensitiveText(results[index].output.text(of: $0.part)) }
        }
    }

    /// How many aliases ``redactedBody(aliases:)`` and ``writeResult(aliases:into:)`` take.
    package var aliasCount: Int { aliasItemCount }
}
