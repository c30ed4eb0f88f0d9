internal import JSON

/// Reads `tokenization`, whose presence makes a field tokenizable (`docs/reference/vault-api.md` section 7).
struct TokenizationLoader {
    let type: FieldType
    let context: LoadContext

    func load(_ reader: DocumentReader?) -> Tokenization? {
        guard let reader, type != .file else { return nil }
        guard let map = reader.map(keys: ["format", "storage", "classifiers", "ttl"]) else { return nil }
        let format = map["format"].map(formatName) ?? (type == .cardNumber ? "FPE_SIX_T_FOUR" : "UUID")
        let storage = map["storage"].flatMap { $0.choice(AliasStorage.self) } ?? defaultStorage
        if hasFixedStorage, storage != defaultStorage {
            map["storage"]?.mistake("type \(type.rawValue) may only be stored \(defaultStorage.rawValue)")
        }
        let classifiers = map["classifiers"]?.classifiers() ?? []
        let ttl = map["ttl"].flatMap(seconds)
        guard let format, let accepts = context.aliasFormats[format] else { return nil }
        if format == "NUM_LENGTH_PRESERVING" {
            map["format"]?.warning(
                "at most 1,000 aliases of three-digit and 10,000 of four-digit values can be alive at once; UUID has no limit"
            )
        }
        guard storage == .volatile, let isWide = context.narrowFormats[format] else {
            return Tokenization(format: format, storage: storage, classifiers: classifiers, ttl: ttl, accepts: accepts)
        }
        map["format"]?.warning(
            "processes that share a vault make no VOLATILE alias of this format where there are few of them: such a value is refused; UUID takes all, as does vault.aliasFallback: uuid"
        )
        return Tokenization(format: format, storage: storage, classifiers: classifiers, ttl: ttl) {
            accepts($0) && isWide($0)
        }
    }

    private func formatName(_ reader: DocumentReader) -> String? {
        guard let name = reader.text() else { return nil }
        if context.aliasFormats[name] != nil { return name }
        reader.mistake("unknown format \(quoted(name)) (\(oneOf(context.aliasFormats.keys.sorted(), closestTo: name)))")
        return nil
    }

    private func seconds(_ reader: DocumentReader) -> Int? {
        guard let text = reader.text() else { return nil }
        if !context.endsValues {
            reader.mistake("a remote vault is not told when a value ends")
            return nil
        }
        if let seconds = FormSchema.seconds(ofDuration: text) { return seconds }
        reader.mistake(FormSchema.durationRule)
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

extension FormSchema {
    /// The seconds of a duration such as `180d`, with the units of the configuration file; nil if it is none, or not from a second
    /// to a hundred years.
    public static func seconds(ofDuration text: String) -> Int? {
        let number = text.utf8.prefix { $0.isDigit }
        let unit: Int64? =
            switch String(Substring(text.utf8.dropFirst(number.count))) {
            case "s": 1
            case "m", "min": 60
            case "h": 3_600
            case "d": 86_400
            default: nil
            }
        // At most nine digits, so that the product fits 64 bits.
        guard let unit, (1...9).contains(number.count) else { return nil }
        let seconds = unit * number.reduce(0) { 10 * $0 + Int64($1 - 0x30) }
        let longest: Int64 = 36_500 * 86_400
        return seconds > 0 && seconds <= longest ? Int(clamping: seconds) : nil
    }

    /// What ``seconds(ofDuration:)`` takes, as an error tells it.
    public static var durationRule: String {
        "must be a duration from 1s to 36500d, such as 30m, 24h or 180d, in whole numbers"
    }
}
