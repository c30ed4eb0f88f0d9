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

    /// Whether the alias format refuses valid values of the type, and takes none. Numbers and codes are tried in every length that a brand
    /// gives them, one text for each; dates and SSNs have one shape. Of texts without a type it is not known.
    func hasUnusableFormat(in form: FormSchema) -> Bool {
        switch type {
        case .cardHolderName, .file, .none: return false
        case .expDate, .date, .ssn: return fit(of: sample(in: form), in: form) == .refused
        case .cardNumber:
            let brands = form.cardBrands
            return isUnusable([brands.sample] + brands.samples) {
                fit(of: $0, brand: brands.brand(ofNumber: $0), in: form)
            }
        case .cvc:
            let brands: [CardBrand?] =
                coupledCard == nil ? [nil] : [form.cardBrands.unknown] + form.cardBrands.brands
            return isUnusable(brands.flatMap { brand in (1...19).map { (brand, $0) } }) { brand, length in
                fit(of: String("1234567890123456789".prefix(length)), brand: brand, in: form)
            }
        }
    }

    /// How an alias format does with a text.
    private enum Fit {
        /// The text is valid, and an alias can be made of it.
        case taken
        /// The text is valid but for the format.
        case refused
        /// The text is not valid.
        case invalid
    }

    /// Whether some are refused, and none is taken.
    private func isUnusable<Sample>(_ samples: [Sample], _ fit: (Sample) -> Fit) -> Bool {
        var isRefused = false
        for sample in samples {
            switch fit(sample) {
            case .taken: return false
            case .refused: isRefused = true
            case .invalid: break
            }
        }
        return isRefused
    }

    private func fit(of text: String, brand: CardBrand? = nil, in form: FormSchema) -> Fit {
        guard let result = evaluated(text, brand: brand, in: form) else { return .invalid }
        if result.errors == [ErrorText.aliasFormat] { return .refused }
        return result.isComplete && !result.hasHardError ? .taken : .invalid
    }

    /// Whether the text is valid, and an alias can be made of it.
    private func takes(_ text: String, in form: FormSchema) -> Bool { fit(of: text, in: form) == .taken }

    /// The verdict on the text, on a day before the end of each sample.
    private func evaluated(_ text: String, brand: CardBrand?, in form: FormSchema) -> FieldResult? {
        guard let day = CalendarDay(year: 2026, month: 1, day: 1) else { return nil }
        var result = FieldResult()
        evaluate(text, in: form, today: day, brand: brand, into: &result)
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
            if let number = candidate.number(in: range.text.prefix(range.digits), length: length) { return number }
        }
        return usual
    }

    /// A number of each length of each beginning of a brand, and, of no brand, of each digit that they leave.
    fileprivate var samples: [String] {
        let known = brands.flatMap { brand in
            brand.prefixes.flatMap { range in
                brand.lengths.compactMap { brand.number(in: range.text.prefix(range.digits), length: $0) }
            }
        }
        let others = (0...9).flatMap { digit in
            unknown.lengths.compactMap { unknown.number(in: "\(digit)", length: $0) }
        }
        return known + others
    }
}

extension CardBrand {
    /// A number that begins with `prefix` and goes on with zeros, if it can with a right checksum; nil if there is none of this length.
    fileprivate func number(in prefix: Substring, length: Int) -> String? {
        guard prefix.utf8.count < length else { return accepts(String(prefix), length: length) ? String(prefix) : nil }
        let start = prefix + String(repeating: "0", count: length - prefix.utf8.count - 1)
        let numbers = (0...9).map { start + String($0) }.filter { accepts($0, length: length) }
        return numbers.first(where: passesLuhn) ?? numbers.first
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
