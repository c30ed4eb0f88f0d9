internal import JSON

/// Writes a form that has been loaded as clients may see it: a form file in JSON that the engine reads with this same loader
/// (`docs/reference/browser.md` section 5).
struct ClientSchemaWriter {
    /// The fields of the form, in order.
    let fields: [Field]
    let clientRules: Bool
    /// Below the default, patterns that the engine can match may exhaust the server's limit, so none are sent.
    let patternMatchLimit: UInt32

    private static let topKeys = ["form", "lenientInput", "cardBrands"]
    private static let shapeKeys = [
        "name", "type", "isRequired", "isRequiredValidOnly", "isValidIfPresent", "formatPattern", "divider",
        "maxInputLength", "inputDateFormat", "outputDateFormat", "serializers",
    ]
    /// The limit up to which the engine's own limits on the length of text were chosen.
    private static let defaultMatchLimit: UInt32 = 100_000

    /// A schema that is being written.
    private struct Draft: ~Copyable {
        var writer = JSONWriter(capacity: 2_048)
        var serverOnlyPatterns: [String] = []
    }

    /// - Parameter root: the document that the form was loaded from, which has no mistakes.
    func write(_ root: DocumentReader) -> FormSchema.ClientSchema {
        var draft = Draft()
        draft.writer.beginObject()
        for key in Self.topKeys { copy(key, of: root, into: &draft) }
        if !clientRules {
            draft.writer.key("clientRules")
            draft.writer.bool(false)
        }
        // Names cannot conflict in a flat body, and a client builds no body.
        draft.writer.key("fieldNameMappingPolicy")
        draft.writer.string("flatJSON")
        draft.writer.key("fields")
        draft.writer.beginArray()
        for (field, reader) in zip(fields, root.entry("fields")?.list() ?? []) { write(field, reader, into: &draft) }
        draft.writer.endArray()
        draft.writer.endObject()
        return FormSchema.ClientSchema(
            json: draft.writer.bytes, serverOnlyPatterns: clientRules ? draft.serverOnlyPatterns : [])
    }

    private func write(_ field: Field, _ reader: DocumentReader, into draft: inout Draft) {
        draft.writer.beginObject()
        for key in Self.shapeKeys { copy(key, of: reader, into: &draft) }
        if let mask = reader.entry("mask") { writeMask(mask, into: &draft) }
        if clientRules {
            writeRules(reader, into: &draft)
        } else {
            writeImpliedPattern(field, reader, into: &draft)
        }
        if let tokenization = field.tokenization { write(tokenization, into: &draft) }
        if let file = field.file { write(file, into: &draft) }
        draft.writer.endObject()
    }

    private func writeRules(_ reader: DocumentReader, into draft: inout Draft) {
        if let transform = reader.entry("transform") {
            draft.writer.key("transform")
            writeSteps(transform, into: &draft)
        }
        if let validation = reader.entry("validation") {
            writePattern("validation", validation, readsGroups: false, into: &draft)
        }
        guard let rules = reader.entry("validationRules") else { return }
        draft.writer.key("validationRules")
        draft.writer.beginArray()
        for rule in rules.list() ?? [] { writeRule(rule, into: &draft) }
        draft.writer.endArray()
    }

    /// Without its rules a field would get another pattern: that of its type, or of a brand.
    private func writeImpliedPattern(_ field: Field, _ reader: DocumentReader, into draft: inout Draft) {
        guard reader.entry("formatPattern") == nil else { return }
        let pattern: StaticString
        switch field.shape {
        case .unchanged: pattern = ""
        case .brandCVC where !field.usesDefaultRules: pattern = "####"
        default: return
        }
        draft.writer.key("formatPattern")
        draft.writer.string(pattern)
    }

    private func writeMask(_ reader: DocumentReader, into draft: inout Draft) {
        draft.writer.key("mask")
        guard case .list = reader.node.content else { return copy(reader.node, into: &draft) }
        draft.writer.beginArray()
        for entry in reader.list() ?? [] {
            guard let pattern = entry.entry("pattern") else {
                copy(entry.node, into: &draft)
                continue
            }
            draft.writer.beginObject()
            writePattern("pattern", pattern, readsGroups: false, into: &draft)
            copy("case", of: entry, into: &draft)
            draft.writer.endObject()
        }
        draft.writer.endArray()
    }

    /// One step of a transform, or a list of them.
    private func writeSteps(_ reader: DocumentReader, into draft: inout Draft) {
        if case .list = reader.node.content {
            draft.writer.beginArray()
            for step in reader.list() ?? [] { writeSteps(step, into: &draft) }
            return draft.writer.endArray()
        }
        draft.writer.beginObject()
        if let matcher = reader.entry("matcher") {
            writePattern("matcher", matcher, readsGroups: true, into: &draft)
        }
        copy("replacement", of: reader, into: &draft)
        copy("case", of: reader, into: &draft)
        draft.writer.endObject()
    }

    private func writeRule(_ reader: DocumentReader, into draft: inout Draft) {
        guard let pattern = reader.entry("pattern") else { return copy(reader.node, into: &draft) }
        draft.writer.beginObject()
        copy("rule", of: reader, into: &draft)
        if let portable = portable(pattern, readsGroups: false) {
            draft.writer.key("pattern")
            draft.writer.string(portable)
        } else {
            draft.serverOnlyPatterns.append(pattern.path)
            draft.writer.key("isServerOnly")
            draft.writer.bool(true)
        }
        copy("error", of: reader, into: &draft)
        draft.writer.endObject()
    }

    private func writePattern(
        _ key: StaticString, _ reader: DocumentReader, readsGroups: Bool, into draft: inout Draft
    ) {
        draft.writer.key(key)
        if let portable = portable(reader, readsGroups: readsGroups) { return draft.writer.string(portable) }
        draft.serverOnlyPatterns.append(reader.path)
        draft.writer.beginObject()
        draft.writer.key("isServerOnly")
        draft.writer.bool(true)
        draft.writer.endObject()
    }

    private func portable(_ reader: DocumentReader, readsGroups: Bool) -> String? {
        guard patternMatchLimit >= Self.defaultMatchLimit, case .text(let source) = reader.node.content else {
            return nil
        }
        return PortablePattern(source, readsGroups: readsGroups)?.javaScript
    }

    /// The format alone, which decides what values are accepted; one that accepts every value is as good as another.
    private func write(_ tokenization: Tokenization, into draft: inout Draft) {
        draft.writer.key("tokenization")
        draft.writer.beginObject()
        draft.writer.key("format")
        draft.writer.string(tokenization.accepts("") ? "UUID" : tokenization.format)
        draft.writer.endObject()
    }

    private func write(_ file: FileLimits, into draft: inout Draft) {
        draft.writer.key("file")
        draft.writer.beginObject()
        draft.writer.key("maxBytes")
        draft.writer.number(Self.clamped(file.maxBytes))
        if let types = file.contentTypes {
            draft.writer.key("contentTypes")
            draft.writer.strings(types.map { $0.rawValue })
        }
        draft.writer.endObject()
    }
}

extension ClientSchemaWriter {
    private func copy(_ key: String, of reader: DocumentReader, into draft: inout Draft) {
        guard let entry = reader.entry(key) else { return }
        draft.writer.key(key)
        copy(entry.node, into: &draft)
    }

    private func copy(_ node: Document.Node, into draft: inout Draft) {
        switch node.content {
        case .null: draft.writer.null()
        case .bool(let value): draft.writer.bool(value)
        case .number(let text): draft.writer.number(Self.clamped(Int(text) ?? 0))
        case .text(let text): draft.writer.string(text)
        case .list(let nodes):
            draft.writer.beginArray()
            for node in nodes { copy(node, into: &draft) }
            draft.writer.endArray()
        case .map(let entries):
            draft.writer.beginObject()
            for entry in entries {
                draft.writer.key(entry.key)
                copy(entry.node, into: &draft)
            }
            draft.writer.endObject()
        }
    }

    /// The engine's `Int` has 32 bits. No text is that long, so a greater limit and the greatest one mean the same.
    private static func clamped(_ value: Int) -> Int { Int(Int32(clamping: value)) }
}
