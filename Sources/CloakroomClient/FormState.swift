/// The state of one field (`docs/reference/fields.md` section 10). Never holds what was typed.
public struct FieldState: Sendable, Decodable {
    public let fieldName: String
    /// `none`, `cardNumber`, `expDate`, `date`, `cvc`, `cardHolderName`, `ssn` or `file`.
    public let type: String
    public let isRequired: Bool
    public let isRequiredValidOnly: Bool
    public let isValid: Bool
    public let isEmpty: Bool
    /// Whether the submission had the field, even as an empty text.
    public let isDirty: Bool
    public let isComplete: Bool
    public let isMaskSatisfied: Bool
    public let inputLength: Int
    /// Codes such as `CARD_NUMBER_VALIDATION_ERROR`, in the order of the rules.
    public let validationErrors: [String]
    /// Of card numbers; `unknown` if no brand fits.
    public let cardBrand: String?
    public let cardBrandName: String?
    public let bin: String?
    /// Of card numbers and SSNs; empty unless valid.
    public let last4: String?
    /// The text with its characters hidden.
    public let redacted: String
    /// Errors that only the server can decide.
    public let undecided: [String]?
}

/// What `validate` returns.
public struct FormState: Sendable, Decodable {
    public let form: String
    public let isValid: Bool
    public let isComplete: Bool
    /// The first field that is not satisfied.
    public let nextField: String?
    /// By name. The form's own order is that of ``FormDescription/fields``.
    public let fields: [String: FieldState]
}

/// A form in the list of all.
public struct FormSummary: Sendable, Decodable, Equatable {
    public let form: String
    public let title: String?
}

/// A form as a client needs it to draw it.
public struct FormDescription: Sendable, Decodable {
    public let form: String
    public let title: String?
    public let timeZone: String
    /// In the form's order.
    public let fields: [FieldDescription]
}

/// One field of it.
public struct FieldDescription: Sendable, Decodable {
    public let fieldName: String
    public let type: String
    public let isRequired: Bool
    public let isRequiredValidOnly: Bool
    public let isValidIfPresent: Bool
    /// `#` digit, `@` letter, `a` and `A` by case, `*` either; everything else stands for itself.
    public let formatPattern: String?
    public let divider: String?
    public let maxInputLength: Int?
    /// The HTML attributes of these names.
    public let inputMode: String?
    public let autocomplete: String?
    public let isTokenized: Bool?
}
