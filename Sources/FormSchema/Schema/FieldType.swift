/// What a field holds, and with it the field's defaults (`fields.md` section 4).
enum FieldType: String, Sendable, CaseIterable {
    case none
    case cardNumber
    case expDate
    case date
    case cvc
    case cardHolderName
    case ssn
    case file

    /// Types whose value never leaves the server unless it is tokenized: PCI DSS forbids to keep a CVC and to show a PAN.
    var isSensitive: Bool { self == .cardNumber || self == .cvc }

    /// Types that `mask`, `transform` and `validation` may shape (`elements.md` section 1).
    var allowsElementKeys: Bool { self == .none || self == .cardHolderName || self == .ssn }

    var isDated: Bool { self == .expDate || self == .date }

    /// What a component that cannot be read adds to `validationErrors`.
    var dateError: String { self == .expDate ? ErrorText.expirationDate : ErrorText.date }

    var defaultDivider: String {
        switch self {
        case .expDate, .date: "/"
        case .ssn: "-"
        default: ""
        }
    }
}
