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
        "form", "title", "timeZone", "fieldNameMappingPolicy", "route", "access", "allowedOrigins", "allowedHeaders",
        "clientRules",
        "guard",
        "lenientInput", "omitEmptyFields", "cardBrands", "fields",
    ]

    func load(_ root: DocumentReader) -> FormSchema? {
        guard let map = root.map(keys: Self.keys) else { return nil }
        let form = map.required("form").flatMap(id)
        var settings = FormSchema.Settings()
        // A description of a form holds none of them.
        #if !hasFeature(Embedded)
        settings = SettingsLoader(context: context).load(map)
        #endif
        // With an unknown policy no conflicts can be found; in a flat body there are the fewest.
        let policy = map["fieldNameMappingPolicy"].map { $0.choice(MappingPolicy.self) ?? .flatJSON } ?? .nestedJSON
        let brands = CardBrandsLoader().load(map["cardBrands"])
        let lenient = map["lenientInput"]?.bool() ?? false
        let clientRules = map["clientRules"]?.bool() ?? true
        let fields =
            map.required("fields").map { fields in
                loadFields(
                    fields, policy: policy, route: settings.route, areRulesKnown: clientRules || !context.isClient)
            } ?? []
        guard let form else { return nil }
        var client = FormSchema.ClientSchema()
        #if !hasFeature(Embedded)
        // A form with mistakes is not described, and a client describes nothing.
        if log.mistakes.isEmpty, !context.isClient {
            client = ClientSchemaWriter(
                fields: fields, clientRules: clientRules, patternMatchLimit: context.patternMatchLimit
            ).write(root)
        }
        #endif
        let schema = FormSchema(
            form: form, settings: settings, clientRules: clientRules, client: client, isClient: context.isClient,
            mappingPolicy: policy, lenientInput: lenient, cardBrands: brands, fields: fields)
        #if !hasFeature(Embedded)
        if log.mistakes.isEmpty, !context.isClient { warnOfFormats(schema, map["fields"]?.list() ?? []) }
        #endif
        return schema
    }

    #if !hasFeature(Embedded)
    /// A format that takes no value of the field's type makes a form that cannot be sent.
    private func warnOfFormats(_ form: FormSchema, _ readers: [DocumentReader]) {
        for (field, reader) in zip(form.fields, readers) {
            guard let tokenization = field.tokenization, field.hasUnusableFormat(in: form) else { continue }
            let place = reader.entry("tokenization")
            (place?.entry("format") ?? place ?? reader).warning(
                "no value of type \(field.type.rawValue), as it is sent here, fits \(tokenization.format): each is refused"
            )
        }
    }
    #endif

    private func id(_ reader: DocumentReader) -> String? {
        guard let id = reader.text() else { return nil }
        let isAllowed = id.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
        if isAllowed, (1...64).contains(id.utf8.count) { return id }
        reader.mistake("must be 1 to 64 letters, digits, _ and -")
        return nil
    }

    private func loadFields(
        _ reader: DocumentReader, policy: MappingPolicy, route: String?, areRulesKnown: Bool
    ) -> [Field] {
        guard let readers = reader.list() else { return [] }
        if readers.isEmpty { reader.mistake("a form needs at least one field") }
        let kind = route.flatMap { context.routes?[$0] }
        let couplings = CardCouplings(readers)
        let loaded = readers.enumerated().map { index, reader in
            FieldLoader(
                context: context, policy: policy, route: kind, coupledCard: couplings.card(of: index),
                areRulesKnown: areRulesKnown
            ).load(reader)
        }
        let fields = loaded.compactMap { $0.field }
        checkNames(readers)
        #if !hasFeature(Embedded)
        checkPaths(loaded.flatMap { $0.entries })
        #endif
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
