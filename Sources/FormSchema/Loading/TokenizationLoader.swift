/// Reads `tokenization`; a field is tokenizable as soon as the key is there (`vault-api.md` section 7).
struct TokenizationLoader {
    let type: FieldType
    let context: LoadContext

    func load(_ reader: DocumentReader?) -> Tokenization? {
        guard let reader, type != .file else { return nil }
        guard let map = reader.map(keys: ["format", "storage", "classifiers"]) else { return nil }
        let format = map["format"].map(formatName) ?? (type == .cardNumber ? "FPE_SIX_T_FOUR" : "UUID")
        let storage = map["storage"].flatMap { $0.choice(AliasStorage.self) } ?? defaultStorage
        if hasFixedStorage, storage != defaultStorage {
            map["storage"]?.mistake("a \(type.rawValue) may only be stored \(defaultStorage.rawValue)")
        }
        let classifiers = map["classifiers"]?.list()?.compactMap { $0.text() } ?? []
        guard let format, let accepts = context.aliasFormats[format] else { return nil }
        if format == "NUM_LENGTH_PRESERVING" {
            map["format"]?.warning(
                "at most 1,000 aliases of three-digit and 10,000 of four-digit values can be alive at once; UUID has no limit"
            )
        }
        return Tokenization(format: format, storage: storage, classifiers: classifiers, accepts: accepts)
    }

    private func formatName(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        if context.aliasFormats[name] != nil { return name }
        let names = context.aliasFormats.keys.sorted()
        reader.mistake("unknown format \(quoted(name)) (\(oneOf(names, closestTo: name)))")
        return nil
    }

    private var defaultStorage: AliasStorage { type == .cvc ? .volatile : .persistent }

    private var hasFixedStorage: Bool {
        switch type {
        case .cardNumber, .cvc, .expDate, .ssn: true
        default: false
        }
    }
}
