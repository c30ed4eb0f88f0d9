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

    /// Names the fields that refuse the sample: it is made without regard to patterns, so it may not match them.
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
        let names = (validation == nil ? [] : ["validation"]) + rules.map { $0.check.name }
        return names.isEmpty ? "-" : names.joined(separator: ",")
    }

    fileprivate var aliasName: String {
        tokenization.map { "\($0.format) \($0.storage.rawValue)" } ?? "-"
    }
}

extension ValidationRule.Check {
    /// The rule's name in a form file.
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
        case .personName: "personName"
        case .iban: "iban"
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
