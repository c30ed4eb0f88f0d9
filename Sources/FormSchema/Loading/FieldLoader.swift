/// Reads one field of a form file (`docs/reference/fields.md` section 1).
struct FieldLoader {
    let context: LoadContext
    let policy: MappingPolicy
    /// The kind of the form's route, if it has one.
    let route: RouteKind?
    let coupledCard: Int?
    /// False if a server keeps the form's rules from this client.
    let areRulesKnown: Bool

    static let elementKeys = ["mask", "transform", "validation"]
    private static let flagKeys = ["isRequired", "isRequiredValidOnly", "isValidIfPresent"]
    private static let dateKeys = ["inputDateFormat", "outputDateFormat", "serializers"]
    private static let textKeys = ["formatPattern", "divider", "maxInputLength", "validationRules", "tokenization"]
    private static let allKeys = ["name", "type"] + flagKeys + textKeys + elementKeys + dateKeys + ["file"]

    /// The result for one field. The entries are known even if something else is wrong with it, so that conflicts are found.
    struct Loaded {
        /// Nil if it cannot be used.
        var field: Field?
        var entries: [EntryLoader.Given] = []
    }

    func load(_ reader: DocumentReader) -> Loaded {
        guard let map = reader.map(keys: Self.allKeys) else { return Loaded() }
        let given = map["type"].map { $0.choice(FieldType.self) } ?? FieldType.none
        // A field of unknown type is read as text, so that its other mistakes are found too.
        let type = given ?? .none
        if given != nil { checkKeys(map, type) }
        let isElement = type.allowsElementKeys && Self.elementKeys.contains { map[$0] != nil }
        let dates = DateLoader(type: given).load(map)
        let shape = ShapeLoader(type: type, context: context, isElement: isElement).load(map, dates: dates)
        let names = EntryLoader(policy: policy, type: given).load(map)
        let rules = RuleLoader(type: type, dates: dates, context: context)
            .load(map["validationRules"], areRulesKnown: areRulesKnown)
        let flags = flags(map)
        let maxInputLength = map["maxInputLength"]?.int(in: 0...Int.max)
        let mayBeFile = given == nil || type == .file
        let file = mayBeFile ? FileLoader(context: context).load(map["file"], of: reader) : nil
        let tokenization = TokenizationLoader(type: type, context: context).load(map["tokenization"])
        if tokenization == nil { warnOfSensitiveField(type, reader) }
        guard let name = names.name, !names.entries.isEmpty, given != nil else {
            return Loaded(entries: names.entries)
        }
        let field = Field(
            name: name, type: type, flags: flags, shape: shape.shape, transforms: shape.transforms,
            validation: shape.validation, isElement: isElement, rules: rules,
            usesDefaultRules: map["validationRules"] == nil, maxInputLength: maxInputLength, dateFormats: dates,
            isSerialized: map["serializers"] != nil, entries: names.entries.map { $0.entry },
            tokenization: tokenization,
            file: file, coupledCard: coupledCard)
        return Loaded(field: field, entries: names.entries)
    }

    private func flags(_ map: MapReader) -> Field.Flags {
        Field.Flags(
            isRequired: map["isRequired"]?.bool() ?? false,
            isRequiredValidOnly: map["isRequiredValidOnly"]?.bool() ?? false,
            isValidIfPresent: map["isValidIfPresent"]?.bool() ?? false)
    }

    /// Finds keys that the type does not allow, and a field with both a pattern and a mask.
    private func checkKeys(_ map: MapReader, _ type: FieldType) {
        for key in Self.elementKeys where !type.allowsElementKeys {
            map[key]?.mistake("not allowed on type \(type.rawValue) (allowed on: none, cardHolderName, ssn)")
        }
        for key in Self.dateKeys where !type.isDated {
            map[key]?.mistake("not allowed on type \(type.rawValue) (allowed on: expDate, date)")
        }
        if type == .file {
            for key in Self.textKeys { map[key]?.mistake("not allowed on type file") }
        } else {
            map["file"]?.mistake("allowed on type file only")
        }
        if let element = Self.elementKeys.first(where: { map[$0] != nil }), type.allowsElementKeys {
            for key in ["formatPattern", "divider"] {
                map[key]?.mistake("cannot stand beside \(element): a field has one or the other")
            }
        }
    }

    private func warnOfSensitiveField(_ type: FieldType, _ reader: DocumentReader) {
        guard type.isSensitive, route == .upstream || route == .echo else { return }
        reader.warning("without tokenization a field of type \(type.rawValue) is left out of what the route is sent")
    }
}
