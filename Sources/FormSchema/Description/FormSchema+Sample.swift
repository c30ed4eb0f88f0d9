internal import JSON

/// A submission to try a form with.
extension FormSchema {
    /// A submission with a plausible text for each field, in its shape; not all of them are valid.
    var sample: [UInt8] {
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
    /// A text of the field's shape.
    fileprivate func sample(in form: FormSchema) -> String {
        var texts: [String] = []
        switch type {
        case .cardNumber: return form.cardBrands.sample
        case .cvc:
            let brand = coupledCard.map { _ in form.cardBrands.brand(ofNumber: form.cardBrands.sample) }
            return String("1234".prefix((brand?.cvcLengths.max() ?? 3)))
        case .file: return (file?.contentTypes?.first ?? .plainText).sample
        case .expDate, .date: return dateFormats.sample
        case .cardHolderName: texts = ["Ann Li"]
        case .ssn: texts = ["219-09-9999"]
        case .none:
            if hasRule(.email) { texts = ["ana@shop.example"] }
            if hasRule(.phone) { texts = ["415-555-0199", "+14155550199", "(415) 555-0199"] }
        }
        switch shape {
        case .pattern(let pattern, _) where !pattern.isEmpty: texts.append(pattern.sample)
        case .mask(let mask): texts.append(mask.sample)
        default: texts.append("text")
        }
        return (texts + Self.samples).first { takes($0, in: form) } ?? texts.first ?? ""
    }

    /// Texts for rules and alias formats that do not take any text.
    private static let samples = [
        "sample text", "DE89370400440532013000", "123456789", "011000015", "219-09-9999", "2190", "219", "Ann Li",
        "2030-12-31",
    ]

    /// Whether the alias format refuses a valid value of the type, and so all of them. Of texts without a type it is not known.
    func hasUnusableFormat(in form: FormSchema) -> Bool {
        switch type {
        case .cardNumber, .cvc, .expDate, .date, .ssn: break
        case .cardHolderName, .file, .none: return false
        }
        return evaluated(sample(in: form), in: form)?.errors == [ErrorText.aliasFormat]
    }

    /// Whether the text is valid, and an alias can be made of it.
    private func takes(_ text: String, in form: FormSchema) -> Bool {
        guard let result = evaluated(text, in: form) else { return false }
        return result.isComplete && !result.hasHardError
    }

    /// The verdict on the text, on a day before the end of each sample.
    private func evaluated(_ text: String, in form: FormSchema) -> FieldResult? {
        guard let day = CalendarDay(year: 2026, month: 1, day: 1) else { return nil }
        var result = FieldResult()
        evaluate(text, in: form, today: day, brand: nil, into: &result)
        return result
    }
}

extension ContentType {
    /// The beginning of such a file, in base64.
    fileprivate var sample: String {
        switch self {
        case .png: "iVBORw0KGgo="
        case .jpeg: "/9j/4A=="
        case .gif: "R0lGODlh"
        case .webp: "UklGRgQAAABXRUJQ"
        case .tiff: "SUkqAA=="
        case .heic: "AAAAEGZ0eXBoZWljAAAAAA=="
        case .pdf: "JVBERi0xLjc="
        case .plainText: "aGVsbG8="
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
                case .slot(let slot):
                    (["1", "a", "A"] as [Character]).first { slot.take($0, takesUnknown: false) != nil } ?? "?"
                }
            })
    }
}
