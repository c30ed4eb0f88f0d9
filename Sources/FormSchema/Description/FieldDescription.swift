internal import JSON

/// A field as a client needs it to draw it.
extension Field {
    func writeDescription(in form: FormSchema, into writer: inout JSONWriter) {
        writer.beginObject()
        Self.writeIdentity(name: name, type: type, flags: flags, into: &writer)
        writer.key("isValidIfPresent")
        writer.bool(flags.isValidIfPresent)
        writeShape(in: form, into: &writer)
        if let maxInputLength {
            writer.key("maxInputLength")
            writer.number(maxInputLength)
        }
        writeDateFormats(into: &writer)
        writer.key("inputMode")
        writer.string(inputMode)
        writer.key("autocomplete")
        writer.string(autocomplete)
        writer.key("enterKeyHint")
        writer.string(form.fields.last?.name == name ? "done" : "next")
        writer.key("isTokenized")
        writer.bool(tokenization != nil)
        if let file { write(file, into: &writer) }
        writer.endObject()
    }

    private func writeShape(in form: FormSchema, into writer: inout JSONWriter) {
        switch shape {
        case .pattern(let pattern, let divider): write(pattern, divider, into: &writer)
        case .brand(let divider): write(form.cardBrands.unknown.pattern, divider, into: &writer)
        case .brandCVC(let divider): write(cvcPattern(for: unknownBrand(in: form)), divider, into: &writer)
        case .mask(let mask):
            writer.key("mask")
            writer.beginArray()
            for entry in mask.entries { write(entry, into: &writer) }
            writer.endArray()
        case .unchanged: break
        }
    }

    /// The brand that a code is drawn for before a number is known; nil if it follows no number at all.
    private func unknownBrand(in form: FormSchema) -> CardBrand? { coupledCard == nil ? nil : form.cardBrands.unknown }

    private func write(_ pattern: FormatPattern, _ divider: String, into writer: inout JSONWriter) {
        guard type != .file else { return }
        writer.key("formatPattern")
        writer.string(pattern.text)
        writer.key("divider")
        writer.string(divider)
    }

    private func write(_ entry: Mask.Entry, into writer: inout JSONWriter) {
        switch entry {
        case .literal(let character): writer.string(String(character))
        case .slot(let slot):
            writer.beginObject()
            writer.key("pattern")
            writer.string(slot.accepted.source)
            if let changesCase = slot.changesCase {
                writer.key("case")
                writer.string(changesCase.rawValue)
            }
            writer.endObject()
        }
    }

    private func writeDateFormats(into writer: inout JSONWriter) {
        let formats: (input: String?, output: String?) =
            switch dateFormats {
            case .none: (nil, nil)
            case .expDate(let input, let output): ((input ?? .shortYear).rawValue, output?.rawValue)
            case .date(let input, let output): ((input ?? .mmddyyyy).rawValue, output?.rawValue)
            }
        if let input = formats.input {
            writer.key("inputDateFormat")
            writer.string(input)
        }
        if let output = formats.output {
            writer.key("outputDateFormat")
            writer.string(output)
        }
    }

    private func write(_ limits: FileLimits, into writer: inout JSONWriter) {
        writer.key("file")
        writer.beginObject()
        writer.key("maxBytes")
        writer.number(limits.maxBytes)
        if let types = limits.contentTypes {
            writer.key("contentTypes")
            writer.value(.array(types.map { .string($0.rawValue) }))
        }
        writer.endObject()
    }

    /// The keyboard to offer (HTML `inputmode`).
    private var inputMode: String {
        switch type {
        case .none where hasRule(.email): "email"
        case .none where hasRule(.phone): "tel"
        case .cardNumber, .expDate, .date, .cvc, .ssn: takesOnlyDigits ?? true ? "numeric" : "text"
        case .none, .cardHolderName, .file: takesOnlyDigits ?? false ? "numeric" : "text"
        }
    }

    /// Whether there is a pattern or a mask, and all its slots are for digits; nil if there are no slots.
    private var takesOnlyDigits: Bool? {
        switch shape {
        case .pattern(let pattern, _):
            return pattern.slotCount == 0 ? nil : pattern.symbols.allSatisfy { $0 ?? .digit == .digit }
        case .mask(let mask): return mask.slotCount == 0 ? nil : mask.takesOnlyDigits
        case .brand, .brandCVC, .unchanged: return nil
        }
    }

    /// What a browser may fill in (HTML `autocomplete`).
    private var autocomplete: String {
        switch type {
        case .cardNumber: "cc-number"
        case .expDate: "cc-exp"
        case .cvc: "cc-csc"
        case .cardHolderName: "cc-name"
        case .none where hasRule(.email): "email"
        case .none where hasRule(.phone): "tel"
        case .none: "on"
        case .date, .ssn, .file: "off"
        }
    }

    enum ContactRule {
        case email
        case phone
    }

    func hasRule(_ kind: ContactRule) -> Bool {
        rules.contains { rule in
            switch (rule.check, kind) {
            case (.email, .email), (.phone, .phone): true
            default: false
            }
        }
    }
}
