import FormSchema

extension ConfigurationScope {
    /// The target of a reveal route (docs/reference/proxy.md section 7).
    func revealTarget(_ map: MapReader) -> Route.Target? {
        var rules = RevealRules()
        if let reveal = map["reveal"]?.map(keys: ["body", "require", "headers", "query"]) {
            if let body = reveal["body"].flatMap(revealBody) { rules.body = body }
            rules.require = reveal["require"].map(pointers) ?? []
            rules.headers = reveal["headers"].map(forwardHeaders) ?? []
            rules.query = reveal["query"]?.list()?.compactMap { $0.text() } ?? []
        }
        if let unknown = map["unknownAliases"]?.choice(RevealRules.UnknownAliases.self) {
            rules.unknownAliases = unknown
        }
        rules.redact = map["redact"]?.list()?.compactMap(redaction) ?? []
        if map["redact"] == nil {
            map.whole.warning("without redact other values that the upstream returns reach the caller as they are")
        }
        if rules.headers.contains("authorization") {
            map["reveal"]?.warning("the Authorization that proves a caller to this gateway goes to the upstream too")
        }
        return base(map).map { .reveal($0, rules) }
    }

    private func revealBody(_ reader: DocumentReader) -> RevealRules.Body? {
        switch reader.node.content {
        case .bool(let flag): return flag ? .yes : .no
        case .text("require"): return .require
        case .list: return .pointers(pointers(reader))
        default:
            reader.mistake("expected true, false, require or a list of JSON pointers")
            return nil
        }
    }

    private func redaction(_ reader: DocumentReader) -> RevealRules.Redaction? {
        guard let map = reader.map(keys: ["pointer", "format", "storage", "classifiers"]) else { return nil }
        let pointer = map.required("pointer").flatMap(pointer)
        let format = map.required("format")?.choice(of: dependencies.vault.aliasFormats.map(\.name))
        let storage = map["storage"]?.choice(AliasStorage.self) ?? .persistent
        let classifiers = map["classifiers"]?.classifiers() ?? []
        guard let pointer, let format else { return nil }
        if storage == .volatile, !makesNarrowVolatiles { judgeNarrowFormat(format, map["format"]) }
        return RevealRules.Redaction(
            pointer: pointer, format: format, storage: storage, classifiers: classifiers)
    }

    /// Of a rule that stores VOLATILE where processes share the vault: a response whose values get no alias is withheld after the request was
    /// made.
    private func judgeNarrowFormat(_ name: String, _ reader: DocumentReader?) {
        let advice = "give UUID, or vault.aliasFallback: uuid"
        switch dependencies.vault.aliasFormats.first(where: { $0.name == name })?.room {
        case .never:
            reader?.mistake(
                "processes that share a vault make no VOLATILE aliases of this format, and every response that holds a value would be withheld: \(advice)"
            )
        case .forSome:
            reader?.warning(
                "processes that share a vault make no VOLATILE alias of this format for a value of less than 20 characters that it replaces, and the response is withheld: \(advice)"
            )
        case .always, nil: break
        }
    }

    /// A list of JSON pointers.
    private func pointers(_ reader: DocumentReader) -> [JSONPointer] {
        guard let list = reader.list() else { return [] }
        if list.isEmpty { reader.mistake("name at least one JSON pointer") }
        return list.compactMap { element in pointer(element).flatMap { JSONPointer($0) } }
    }

    /// A JSON pointer (RFC 6901 section 3).
    private func pointer(_ reader: DocumentReader) -> String? {
        guard let text = reader.text() else { return nil }
        guard JSONPointer(text) != nil else {
            reader.mistake("not a JSON pointer (such as /card/number or /items/*/pan)")
            return nil
        }
        return text
    }
}
