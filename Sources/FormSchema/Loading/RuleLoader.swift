internal import JSON

/// Reads `validationRules`; without them, the rules are the type's (`docs/reference/fields.md` sections 4 and 6).
struct RuleLoader {
    let type: FieldType
    let dates: Field.DateFormats
    let context: LoadContext

    /// The rules by the names that they have in a form file.
    private enum Name: String, CaseIterable {
        case pattern
        case length
        case lengthMatch
        case luhnCheck
        case paymentCard
        case cardExpirationDate
        case dateRange
        case abaRoutingNumber
        case email
        case phone
        case personName
        case iban

        /// The keys that the rule takes besides `rule` and `error`.
        var parameters: [String] {
            switch self {
            case .pattern: ["pattern"]
            case .length: ["min", "max"]
            case .lengthMatch: ["lengths"]
            case .paymentCard: ["validateUnknownCardBrand"]
            case .cardExpirationDate: ["dateFormat"]
            case .dateRange: ["dateFormat", "start", "end"]
            case .luhnCheck, .abaRoutingNumber, .email, .phone, .personName, .iban: []
            }
        }
    }

    /// The keys of all rules, each once: of an unknown rule the parameters are unknown too, so all of them are let pass.
    private static let allParameters = Name.allCases.flatMap { $0.parameters }.reduce(into: [String]()) { keys, key in
        if !keys.contains(where: { $0.hasSameBytes(as: key) }) { keys.append(key) }
    }

    /// - Parameter areRulesKnown: false if a server keeps the form's rules from this client: the verdict is unknown then.
    func load(_ reader: DocumentReader?, areRulesKnown: Bool) -> [ValidationRule] {
        guard areRulesKnown else {
            let pattern = ShapeLoader(type: type, context: context, isElement: false).serverOnly(.whole)
            return type == .file ? [] : [ValidationRule(check: .pattern, pattern: pattern, error: ErrorText.validation)]
        }
        guard let reader else { return DefaultRules(type: type, dates: dates).rules }
        return reader.list()?.compactMap(rule) ?? []
    }

    private func rule(_ reader: DocumentReader) -> ValidationRule? {
        let peeked = reader.peek("rule")
        let name = Name.allCases.first { $0.rawValue.hasSameBytes(as: peeked ?? "") }
        let allowed = name?.parameters ?? Self.allParameters
        let clientKeys = context.isClient ? ["isServerOnly"] : []
        guard let map = reader.map(keys: ["rule", "error"] + allowed + clientKeys) else { return nil }
        guard let rule = map.required("rule"), let given = rule.text() else { return nil }
        guard let name else {
            let names = Name.allCases.map { $0.rawValue }
            rule.mistake("unknown rule \(quoted(given)) (\(oneOf(names, closestTo: given)))")
            return nil
        }
        let error = map["error"]?.text()
        guard let (check, defaultError) = check(name, map) else { return nil }
        let pattern = name == .pattern ? self.pattern(map) : nil
        if name == .pattern, pattern == nil { return nil }
        return ValidationRule(check: check, pattern: pattern, error: error ?? defaultError)
    }

    private func check(_ name: Name, _ map: MapReader) -> (ValidationRule.Check, String)? {
        switch name {
        case .pattern: return (.pattern, ErrorText.pattern)
        case .length:
            let min = map["min"]?.int(in: 0...Int.max) ?? 0
            let max = map["max"]?.int(in: 0...Int.max)
            if let max, max < min { map["max"]?.mistake("must be at least min, which is \(min)") }
            return (.length(min: min, max: max), ErrorText.length)
        case .lengthMatch:
            let lengths = map.required("lengths").flatMap { integers($0, in: 0...Int.max) }
            return lengths.map { (.lengthMatch($0), ErrorText.lengthMatch) }
        case .luhnCheck: return (.luhn, ErrorText.luhn)
        case .paymentCard:
            let validates = map["validateUnknownCardBrand"]?.bool() ?? false
            return (.paymentCard(validatesUnknown: validates), ErrorText.cardNumber)
        case .cardExpirationDate:
            let format = map["dateFormat"].map { $0.choice(ExpDateFormat.self) } ?? dates.expDateInput
            return format.map { (.cardExpirationDate($0), ErrorText.expirationDate) }
        case .dateRange: return dateRange(map)
        case .abaRoutingNumber: return (.abaRoutingNumber, ErrorText.abaRoutingNumber)
        case .email: return (.email, ErrorText.email)
        case .phone: return (.phone, ErrorText.phone)
        case .personName: return (.personName, ErrorText.personName)
        case .iban: return (.iban, ErrorText.iban)
        }
    }

    private func pattern(_ map: MapReader) -> Pattern? {
        let shapes = ShapeLoader(type: type, context: context, isElement: false)
        if map["isServerOnly"]?.bool() ?? false { return shapes.serverOnly(.whole) }
        return map.required("pattern").flatMap { shapes.pattern($0, .whole) }
    }

    private func dateRange(_ map: MapReader) -> (ValidationRule.Check, String)? {
        let format = map["dateFormat"].map { $0.choice(DateFormat.self) } ?? dates.dateInput
        let start = map["start"].flatMap(day)
        let end = map["end"].flatMap(day)
        if let start, let end, end < start { map["end"]?.mistake("must not be before start") }
        return format.map { (.dateRange($0, start: start, end: end), ErrorText.date) }
    }

    private func day(_ reader: DocumentReader) -> CalendarDay? {
        guard let text = reader.text() else { return nil }
        if let day = CalendarDay(iso: text) { return day }
        reader.mistake("must be a day as YYYY-MM-DD")
        return nil
    }
}

/// A list of whole numbers that is not empty.
func integers(_ reader: DocumentReader, in range: ClosedRange<Int>) -> [Int]? {
    guard let list = reader.list() else { return nil }
    if list.isEmpty { reader.mistake("must not be empty") }
    return list.compactMap { $0.int(in: range) }
}
