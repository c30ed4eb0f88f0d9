/// The state of one field (`docs/reference/fields.md` section 10). Never holds what was typed.
public struct FieldState: Sendable, Decodable {
    /// Its name in the form.
    public let fieldName: String
    /// `none`, `cardNumber`, `expDate`, `date`, `cvc`, `cardHolderName`, `ssn` or `file`.
    public let type: String
    /// Whether the form refuses a submission without it.
    public let isRequired: Bool
    /// Whether the form refuses a submission in which it is not valid; empty counts as not valid.
    public let isRequiredValidOnly: Bool
    /// Whether all of its rules hold.
    public let isValid: Bool
    /// Whether its text without dividers is empty.
    public let isEmpty: Bool
    /// Whether the submission had the field, even as an empty text.
    public let isDirty: Bool
    /// Valid, not empty, and ``isMaskSatisfied``.
    public let isComplete: Bool
    /// Whether every place of its pattern is filled; true without one. A card number's length must be one of its brand's.
    public let isMaskSatisfied: Bool
    /// Characters without dividers; of a file its decoded bytes.
    public let inputLength: Int
    /// Codes such as `CARD_NUMBER_VALIDATION_ERROR`, in the order of the rules.
    public let validationErrors: [String]
    /// Of card numbers; `unknown` if no brand fits.
    public let cardBrand: String?
    /// For people, as `American Express`.
    public let cardBrandName: String?
    /// Of card numbers: the first six digits, or eight; empty unless valid.
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
    /// The form's id.
    public let form: String
    /// Whether the form would take the submission.
    public let isValid: Bool
    /// Whether in addition every field is complete or empty: nothing is half-filled.
    public let isComplete: Bool
    /// The first field that is not satisfied.
    public let nextField: String?
    /// By name. The form's own order is that of ``FormDescription/fields``.
    public let fields: [String: FieldState]
}

/// A form in the list of all.
public struct FormSummary: Sendable, Decodable, Equatable {
    /// The form's id.
    public let form: String
    /// For people.
    public let title: String?
}

/// A form as a client needs it to draw it.
public struct FormDescription: Sendable, Decodable {
    /// The form's id.
    public let form: String
    /// For people.
    public let title: String?
    /// Whose day and month expiry dates are judged by, as `Europe/Berlin`.
    public let timeZone: String
    /// In the form's order.
    public let fields: [FieldDescription]
}

/// One field of it.
public struct FieldDescription: Sendable, Decodable {
    /// Its name in submissions.
    public let fieldName: String
    /// As ``FieldState/type``.
    public let type: String
    /// Whether the form refuses a submission without it.
    public let isRequired: Bool
    /// Whether the form refuses a submission in which it is not valid; empty counts as not valid.
    public let isRequiredValidOnly: Bool
    /// Whether the form refuses a submission in which it is neither empty nor valid.
    public let isValidIfPresent: Bool
    /// `#` digit, `@` letter, `a` and `A` by case, `*` either; everything else stands for itself.
    public let formatPattern: String?
    /// What stands between groups in the text that is passed on.
    public let divider: String?
    /// An entry for each place of an element field's text; nil without a mask.
    public let mask: [MaskEntry]?
    /// Characters that the field takes at most; nil: no limit of its own.
    public let maxInputLength: Int?
    /// In which order the parts of a date are typed: of expiry dates `shortYear`, `longYear`, `shortYearThenMonth` or
    /// `longYearThenMonth`, of others `mmddyyyy`, `ddmmyyyy` or `yyyymmdd`.
    public let inputDateFormat: String?
    /// In which order they are passed on; nil: as they are typed.
    public let outputDateFormat: String?
    /// The HTML attributes of these names.
    public let inputMode: String?
    /// As `cc-number`.
    public let autocomplete: String?
    /// `next`, and of the last field `done`.
    public let enterKeyHint: String?
    /// Whether `aliases` and `tokens` make an alias of it.
    public let isTokenized: Bool?
    /// Of files: what is taken.
    public let file: FileLimits?

    /// One place of a mask.
    public enum MaskEntry: Sendable, Decodable, Equatable {
        /// A character that stands for itself.
        case literal(String)
        /// A character in which the regular expression finds a match; it is then changed to `lower` or `upper` case, if at all.
        case slot(pattern: String, changesCase: String?)

        public init(from decoder: any Decoder) throws {
            struct Slot: Decodable {
                let pattern: String
                let `case`: String?
            }
            if let literal = try? decoder.singleValueContainer().decode(String.self) {
                self = .literal(literal)
            } else {
                let slot = try Slot(from: decoder)
                self = .slot(pattern: slot.pattern, changesCase: slot.case)
            }
        }
    }

    /// Which files a field takes.
    public struct FileLimits: Sendable, Decodable, Equatable {
        /// A file must have fewer.
        public let maxBytes: Int
        /// As `application/pdf`; nil: any.
        public let contentTypes: [String]?
    }
}
