/// The rules of a field without `validationRules` (`docs/reference/fields.md` section 4).
struct DefaultRules {
    let type: FieldType
    let dates: Field.DateFormats

    var rules: [ValidationRule] {
        switch type {
        case .none, .file: []
        case .cardNumber: [ValidationRule(check: .paymentCard(validatesUnknown: false), error: ErrorText.cardNumber)]
        case .expDate:
            Self.pattern(expDatePattern) + [
                ValidationRule(check: .cardExpirationDate(dates.expDateInput), error: ErrorText.expirationDate)
            ]
        case .date:
            Self.pattern(Self.datePattern) + [
                ValidationRule(check: .dateRange(dates.dateInput, start: nil, end: nil), error: ErrorText.date)
            ]
        case .cvc:
            Self.pattern(Self.cvcPattern) + [ValidationRule(check: .cvcLength, error: ErrorText.lengthMatch)]
        case .cardHolderName: Self.pattern(Self.namePattern)
        case .ssn: Self.pattern(Self.ssnPattern)
        }
    }

    /// P1; the year comes first where the input format says so.
    private var expDatePattern: Pattern? {
        dates.expDateInput.beginsWithYear ? Self.yearFirstPattern : Self.monthFirstPattern
    }

    private static let monthFirstPattern = compiled("(0[1-9]|1[0-2])/?([0-9]{4}|[0-9]{2})")
    private static let yearFirstPattern = compiled("([0-9]{4}|[0-9]{2})/?(0[1-9]|1[0-2])")
    private static let datePattern = compiled("([0-9]{4}|[0-9]{2})/?[0-9]{2}/?([0-9]{4}|[0-9]{2})")
    private static let cvcPattern = compiled("[0-9]*")
    private static let namePattern = compiled("[A-Za-z0-9 ,.'-]{2,}")
    private static let ssnPattern = compiled(
        "(?!000|666|9)[0-9]{3}[-\\t-\\r ]?(?!00)[0-9]{2}[-\\t-\\r ]?(?!0000)[0-9]{4}")

    /// All of these patterns take linear time, and mean the same in PCRE2 and in JavaScript. The limit is the server's default.
    private static func compiled(_ source: String) -> Pattern? {
        try? Pattern(source, .whole, matchLimit: 100_000, countsSteps: false)
    }

    private static func pattern(_ pattern: Pattern?) -> [ValidationRule] {
        [ValidationRule(check: .pattern, pattern: pattern, error: ErrorText.pattern)]
    }
}
