/// Reads one field of a form file (`fields.md` section 1).
struct FieldLoader {
    let context: LoadContext
    let policy: MappingPolicy
    /// The kind of the form's route, if it has one.
    let route: RouteKind?
    let coupledCard: Int?

    static let elementKeys = ["mask", "transform", "validation"]
    private static let flagKeys = ["isRequired", "isRequiredValidOnly", "isValidIfPresent"]
    private static let dateKeys = ["inputDateFormat", "outputDateFormat", "serializers"]
    private static let textKeys = ["formatPattern", "divider", "maxInputLength", "validationRules", "tokenization"]
    private static let allKeys = ["name", "type"] + flagKeys + textKeys + elementKeys + dateKeys + ["file"]

    func load(_ reader: DocumentReader) -> Field? {
        guard let map = reader.map(keys: Self.allKeys) else { return nil }
        let given = map["type"].map { $0.choice(FieldType.self) } ?? FieldType.none
        // A field of no known type is read on as text, so that what else is wrong with it is found too.
        let type = given ?? .none
        if given != nil { checkKeys(map, type) }
        let isElement = type.allowsElementKeys && Self.elementKeys.contains { map[$0] != nil }
        let dates = DateLoader(type: type).load(map)
        let shape = ShapeLoader(type: type, context: context, isElement: isElement).load(map, dates: dates)
        let names = EntryLoader(policy: policy, type: type).load(map)
        let rules = RuleLoader(type: type, dates: dates, context: context).load(map["validationRules"])
        let flags = flags(map)
        let maxInputLength = map["maxInputLength"]?.int(in: 0...Int.max)
        let file = type == .file ? FileLoader(context: context).load(map["file"], at: reader) : nil
        let tokenization = TokenizationLoader(type: type, context: context).load(map["tokenization"])
        if tokenization == nil { warnOfSensitiveField(type, reader) }
        guard let names, given != nil else { return nil }
        return Field(
            name: names.name, type: type, flags: flags, shape: shape.shape, transforms: shape.transforms,
            validation: shape.validation, isElement: isElement, rules: rules,
            usesDefaultRules: map["validationRules"] == nil, maxInputLength: maxInputLength, dateFormats: dates,
            isSerialized: map["serializers"] != nil, entries: names.entries, tokenization: tokenization, file: file,
            coupledCard: coupledCard)
    }

    private func flags(_ map: MapReader) -> Field.Flags {
        Field.Flags(
            isRequired: map["isRequired"]?.bool() ?? false,
            isRequiredValidOnly: map["isRequiredValidOnly"]?.bool() ?? false,
            isValidIfPresent: map["isValidIfPresent"]?.bool() ?? false)
    }

    /// Keys that the type does not allow, and a field that is shaped in two ways.
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
        reader.warning("a \(type.rawValue) without tokenization is left out of what the route is sent")
    }
}
