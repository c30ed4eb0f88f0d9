internal import JSON

/// A form as a person checks it: one line a field, then a submission to try it with.
extension FormSchema {
    /// Lines without line ends: fields, types, flags, rules, what is tokenized how, and a sample submission.
    public var tableLines: [String] {
        let rows =
            [["field", "type", "flags", "rules", "alias"]]
            + fields.map { [printable($0.name), $0.type.rawValue, $0.flagNames, $0.ruleNames, $0.aliasName] }
        let widths = rows.reduce([0, 0, 0, 0, 0]) { widths, row in zip(widths, row).map { max($0, $1.count) } }
        let lines = rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "  " + cells.joined(separator: "  ").trimmingTrailingSpaces
        }
        return lines + ["  try: " + String(decoding: sample, as: UTF8.self) + sampleComplaint]
    }

    /// Says which fields will not take the sample: not every rule can be met by a text that is made without knowing it.
    private var sampleComplaint: String {
        guard let text = try? JSONText(parsing: sample), let submission = try? Submission(text, for: self),
            let day = CalendarDay(year: 2030, month: 1, day: 1)
        else { return "" }
        let names: [String] =
            switch evaluate(submission, today: day).refusal {
            case nil: []
            case .invalidInput(let required, let valid): required + valid.filter { !required.contains($0) }
            case .file(let refusal): [refusal.fieldName]
            }
        return names.isEmpty ? "" : "  (to be changed: \(names.map(quoted).joined(separator: ", ")))"
    }

    /// A submission with a plausible text for each field, in its shape; not all of them are valid.
    private var sample: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("fields")
        writer.beginObject()
        for field in fields {
            writer.key(field.name)
            writer.string(field.sample(in: self))
        }
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

extension Field {
    fileprivate var flagNames: String {
        let names = [
            flags.isRequired ? "required" : nil, flags.isRequiredValidOnly ? "valid" : nil,
            flags.isValidIfPresent ? "validIfPresent" : nil,
        ].compactMap { $0 }
        return names.isEmpty ? "-" : names.joined(separator: ",")
    }

    fileprivate var ruleNames: String {
        let names = (validation == nil ? [] : ["validation"]) + rules.map(\.check.name)
        return names.isEmpty ? "-" : names.joined(separator: ",")
    }

    fileprivate var aliasName: String {
        tokenization.map { "\($0.format) \($0.storage.rawValue)" } ?? "-"
    }

    /// A text of the field's shape.
    fileprivate func sample(in form: FormSchema) -> String {
        switch type {
        case .cardNumber: return form.cardBrands.sample
        case .cvc:
            let brand = coupledCard.map { _ in form.cardBrands.brand(ofNumber: form.cardBrands.sample) }
            return String("1234".prefix((brand?.cvcLengths.max() ?? 3)))
        case .cardHolderName: return "Ann Li"
        case .ssn: return "219-09-9999"
        case .file: return "aGVsbG8="
        case .expDate, .date: return dateFormats.sample
        case .none: break
        }
        if rules.contains(where: { $0.check.name == "email" }) { return "ana@shop.example" }
        if rules.contains(where: { $0.check.name == "phone" }) { return "415-555-0199" }
        switch shape {
        case .pattern(let pattern, _) where !pattern.isEmpty: return pattern.sample
        case .mask(let mask): return mask.sample
        default: return "text"
        }
    }
}

extension CardBrands {
    /// A number of the first brand that has one: of Visa's, if it is taken.
    fileprivate var sample: String {
        let usual = "4111111111111111"
        let brand = brand(ofNumber: usual)
        if brand !== unknown, brand.accepts(usual, length: usual.utf8.count) { return "4111 1111 1111 1111" }
        for candidate in brands {
            guard let range = candidate.prefixes.first, let length = candidate.lengths.min() else { continue }
            let prefix = range.text.prefix(range.digits)
            let start = String(prefix) + String(repeating: "0", count: max(0, length - range.digits - 1))
            let numbers = (0...9).map { start + String($0) }
            if let number = numbers.first(where: { candidate.accepts($0, length: $0.utf8.count) }) { return number }
        }
        return usual
    }
}

extension Field.DateFormats {
    /// December 2030, or its last day.
    fileprivate var sample: String {
        switch self {
        case .none: ""
        case .expDate:
            switch expDateInput {
            case .shortYear: "12/30"
            case .longYear: "12/2030"
            case .shortYearThenMonth: "30/12"
            case .longYearThenMonth: "2030/12"
            }
        case .date:
            switch dateInput {
            case .mmddyyyy: "12/31/2030"
            case .ddmmyyyy: "31/12/2030"
            case .yyyymmdd: "2030/12/31"
            }
        }
    }
}

extension FormatPattern {
    /// A text that fills every slot.
    fileprivate var sample: String {
        String(
            zip(symbols, text).map { symbol, character in
                switch symbol {
                case nil: character
                case .digit, .alphanumeric: "1"
                case .letter, .uppercase: "A"
                case .lowercase: "a"
                }
            })
    }
}

extension Mask {
    /// A text that fills every slot for which a digit or a letter will do.
    fileprivate var sample: String {
        String(
            entries.map { entry in
                switch entry {
                case .literal(let character): character
                case .slot(let slot): (["1", "a", "A"] as [Character]).first { slot.take($0) != nil } ?? "?"
                }
            })
    }
}

extension ValidationRule.Check {
    /// The rule's name in a form file; that of a default rule likewise.
    fileprivate var name: String {
        switch self {
        case .pattern: "pattern"
        case .length: "length"
        case .lengthMatch, .cvcLength: "lengthMatch"
        case .luhn: "luhnCheck"
        case .paymentCard: "paymentCard"
        case .cardExpirationDate: "cardExpirationDate"
        case .dateRange: "dateRange"
        case .abaRoutingNumber: "abaRoutingNumber"
        case .email: "email"
        case .phone: "phone"
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
