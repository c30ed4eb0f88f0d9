extension FormSchema {
    /// Makes a form of a document. Every mistake and warning goes to `log`.
    /// - Returns: nil if there is any mistake.
    public static func load(_ document: Document, in context: LoadContext, log: MistakeLog) -> FormSchema? {
        let before = log.mistakes.count
        let form = FormLoader(context: context, log: log).load(DocumentReader(document, log: log))
        return log.mistakes.count == before ? form : nil
    }
}

/// Reads the top level of a form file (`docs/reference/fields.md` section 1).
struct FormLoader {
    let context: LoadContext
    let log: MistakeLog

    private static let keys = [
        "form", "title", "timeZone", "fieldNameMappingPolicy", "route", "access", "allowedOrigins", "clientRules",
        "guard",
        "lenientInput", "omitEmptyFields", "cardBrands", "fields",
    ]

    func load(_ root: DocumentReader) -> FormSchema? {
        guard let map = root.map(keys: Self.keys) else { return nil }
        let form = map.required("form").flatMap(id)
        let route = map["route"].flatMap(routeName)
        // With an unknown policy no conflicts can be found; in a flat body there are the fewest.
        let policy = map["fieldNameMappingPolicy"].map { $0.choice(MappingPolicy.self) ?? .flatJSON } ?? .nestedJSON
        let brands = CardBrandsLoader().load(map["cardBrands"])
        let timeZone = map["timeZone"].flatMap(zone) ?? "UTC"
        let lenient = map["lenientInput"]?.bool() ?? false
        let omitEmpty = map["omitEmptyFields"]?.bool() ?? false
        let access = access(map["access"])
        let origins = map["allowedOrigins"]?.list()?.compactMap(origin) ?? []
        let title = map["title"]?.text()
        let clientRules = map["clientRules"]?.bool() ?? true
        let panGuard = panGuard(map["guard"])
        let fields = map.required("fields").map { loadFields($0, policy: policy, route: route) } ?? []
        guard let form else { return nil }
        return FormSchema(
            form: form, title: title, timeZone: timeZone, route: route, access: access, allowedOrigins: origins,
            clientRules: clientRules, guard: panGuard, mappingPolicy: policy, lenientInput: lenient,
            omitEmptyFields: omitEmpty, cardBrands: brands, fields: fields)
    }

    private func id(_ reader: DocumentReader) -> String? {
        guard let id = reader.text() else { return nil }
        let isAllowed = id.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        if isAllowed, (1...64).contains(id.utf8.count) { return id }
        reader.mistake("must be 1 to 64 letters, digits, _ and -")
        return nil
    }

    private func routeName(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        guard let routes = context.routes else {
            reader.mistake("no route can be named without a configuration")
            return nil
        }
        let sendable = routes.filter { $0.value != .reveal }.keys.sorted()
        guard let kind = routes[name] else {
            reader.mistake("no such route (\(oneOf(sendable, closestTo: name)))")
            return nil
        }
        guard kind != .reveal else {
            reader.mistake("a form cannot be sent to a reveal route (\(oneOf(sendable, closestTo: name)))")
            return nil
        }
        return name
    }

    private func zone(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        if context.timeZoneExists(name) { return name }
        reader.mistake("unknown time zone \(quoted(name)) (allowed: IANA names such as America/New_York)")
        return nil
    }

    private func origin(_ reader: DocumentReader) -> String? {
        guard let text = reader.text() else { return nil }
        let isOrigin =
            (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.split(separator: "/").count == 2
        if text == "*" || (isOrigin && !text.hasSuffix("/")) { return text }
        reader.mistake("must be an origin such as https://shop.example, or *")
        return nil
    }

    private func access(_ reader: DocumentReader?) -> FormSchema.Access {
        var access = FormSchema.Access()
        guard let map = reader?.map(keys: ["validate", "aliases", "tokens", "send"]) else { return access }
        access.validate = map["validate"]?.choice(FormSchema.Caller.self) ?? access.validate
        access.aliases = map["aliases"]?.choice(FormSchema.Caller.self) ?? access.aliases
        access.tokens = map["tokens"]?.choice(FormSchema.Caller.self) ?? access.tokens
        access.send = map["send"]?.choice(FormSchema.Caller.self) ?? access.send
        return access
    }

    private func panGuard(_ reader: DocumentReader?) -> FormSchema.Guard {
        var result = FormSchema.Guard()
        guard let map = reader?.map(keys: ["pan"]) else { return result }
        result.pan = map["pan"]?.choice(FormSchema.Guard.Action.self) ?? result.pan
        return result
    }

    private func loadFields(_ reader: DocumentReader, policy: MappingPolicy, route: String?) -> [Field] {
        guard let readers = reader.list() else { return [] }
        if readers.isEmpty { reader.mistake("a form needs at least one field") }
        let kind = route.flatMap { context.routes?[$0] }
        let couplings = CardCouplings(readers)
        let loaded = readers.enumerated().map { index, reader in
            FieldLoader(context: context, policy: policy, route: kind, coupledCard: couplings.card(of: index))
                .load(reader)
        }
        let fields = loaded.compactMap { $0.field }
        checkNames(readers)
        checkPaths(loaded.flatMap { $0.entries })
        checkItemCount(fields, at: reader)
        return fields
    }

    /// Finds names that are given twice, also among fields that do not load.
    private func checkNames(_ readers: [DocumentReader]) {
        var names: Set<[UInt8]> = []
        for reader in readers {
            guard let name = reader.peek("name"), !names.insert(Array(name.utf8)).inserted else { continue }
            reader.entry("name")?.mistake("another field has this name")
        }
    }

    /// Finds paths that conflict. Two fields of one name are reported by `checkNames`.
    private func checkPaths(_ given: [EntryLoader.Given]) {
        let tree = PathTree()
        var names: Set<[UInt8]> = []
        for (entry, reader) in given {
            if entry.part == .whole, !names.insert(Array(entry.name.utf8)).inserted { continue }
            guard let other = tree.insert(entry.path, of: entry.name) else { continue }
            reader.mistake("\(quoted(entry.name)) and \(quoted(other)) cannot stand in one body")
        }
    }

    private func checkItemCount(_ fields: [Field], at reader: DocumentReader) {
        let items = fields.reduce(0) { $0 + ($1.tokenization == nil ? 0 : $1.entries.count) }
        if items > context.maximumAliasItems {
            reader.mistake(
                "the form can make \(items) aliases at once, the vault takes at most \(context.maximumAliasItems)")
        }
    }
}

/// Which card number each CVC belongs to: the first to the first, the second to the second (`docs/reference/fields.md` section 6).
/// Indexes are those in the file, which are the fields' own in a form without mistakes.
private struct CardCouplings {
    private var cards: [Int] = []
    private var codes: [Int] = []

    init(_ fields: [DocumentReader]) {
        for (index, field) in fields.enumerated() {
            switch field.peek("type") {
            case FieldType.cardNumber.rawValue: cards.append(index)
            case FieldType.cvc.rawValue: codes.append(index)
            default: break
            }
        }
    }

    func card(of field: Int) -> Int? {
        guard let ordinal = codes.firstIndex(of: field), ordinal < cards.count else { return nil }
        return cards[ordinal]
    }
}
