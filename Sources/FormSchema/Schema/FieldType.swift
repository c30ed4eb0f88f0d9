/// What a field holds, and with it the field's defaults (`docs/reference/fields.md` section 4).
enum FieldType: String, Sendable, CaseIterable {
    case none
    case cardNumber
    case expDate
    case date
    case cvc
    case cardHolderName
    case ssn
    case file

    /// Types whose value leaves the server only as an alias: PCI DSS forbids storing a CVC and showing a PAN.
    var isSensitive: Bool { self == .cardNumber || self == .cvc }

    /// Types that `mask`, `transform` and `validation` may shape (`docs/reference/elements.md` section 1).
    var allowsElementKeys: Bool { self == .none || self == .cardHolderName || self == .ssn }

    var isDated: Bool { self == .expDate || self == .date }

    var defaultDivider: String {
        switch self {
        case .expDate, .date: "/"
        case .ssn: "-"
        default: ""
        }
    }
}
