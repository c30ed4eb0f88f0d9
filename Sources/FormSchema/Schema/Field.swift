internal import JSON

/// One field of a form. Only the loader makes fields, so all members of a `Field` have been checked.
final class Field: Sendable {
    /// What must hold before a form is stored or sent (`docs/reference/fields.md` section 7).
    struct Flags: Sendable {
        var isRequired = false
        var isRequiredValidOnly = false
        var isValidIfPresent = false
    }

    /// How submitted text becomes formatted text.
    enum Shape: Sendable {
        case pattern(FormatPattern, divider: String)
        /// The pattern of the number's brand.
        case brand(divider: String)
        /// As many digits as the CVC of the coupled card's brand.
        case brandCVC(divider: String)
        case mask(Mask)
        /// An element field without a mask.
        case unchanged

        fileprivate var parts: (pattern: FormatPattern, divider: String) {
            switch self {
            case .pattern(let pattern, let divider): (pattern, divider)
            case .brand(let divider): (FormatPattern(""), divider)
            case .brandCVC(let divider): (FormatPattern("####"), divider)
            case .mask, .unchanged: (FormatPattern(""), "")
            }
        }
    }

    /// The input and output format of an expDate or date field.
    enum DateFormats: Sendable {
        case none
        case expDate(input: ExpDateFormat?, output: ExpDateFormat?)
        case date(input: DateFormat?, output: DateFormat?)

        /// The format in which an expiry is submitted.
        var expDateInput: ExpDateFormat {
            if case .expDate(let input?, _) = self { input } else { .shortYear }
        }

        /// The format in which a date is submitted.
        var dateInput: DateFormat {
            if case .date(let input?, _) = self { input } else { .mmddyyyy }
        }
    }

    let name: String
    let type: FieldType
    let flags: Flags
    let shape: Shape
    /// The pattern and the divider of `shape`, if it has them; for a CVC, the pattern that applies without a brand. Stored beside
    /// `shape` because a pattern match on the enum retains its payload, and every submission reads them.
    let pattern: FormatPattern
    let divider: String
    let transforms: [Transform]
    let validation: Pattern?
    /// Whether `mask`, `transform` or `validation` shapes it (`docs/reference/elements.md` section 1).
    let isElement: Bool
    let rules: [ValidationRule]
    let usesDefaultRules: Bool
    /// Characters of submitted text; nil for no limit.
    let maxInputLength: Int?
    let dateFormats: DateFormats
    let isSerialized: Bool
    /// The names under which its text leaves the server: its own, or one for each component.
    let entries: [Entry]
    let tokenization: Tokenization?
    let file: FileLimits?
    /// For a CVC: the index of the field that holds the number of the same card.
    let coupledCard: Int?
    let validatesUnknownBrand: Bool
    /// The beginning of the field's state as JSON.
    let stateHead: [UInt8]

    init(
        name: String, type: FieldType, flags: Flags, shape: Shape, transforms: [Transform] = [],
        validation: Pattern? = nil, isElement: Bool, rules: [ValidationRule], usesDefaultRules: Bool,
        maxInputLength: Int?, dateFormats: DateFormats, isSerialized: Bool, entries: [Entry],
        tokenization: Tokenization?, file: FileLimits?, coupledCard: Int?
    ) {
        self.name = name
        self.type = type
        self.flags = flags
        self.shape = shape
        (pattern, divider) = shape.parts
        self.transforms = transforms
        self.validation = validation
        self.isElement = isElement
        self.rules = rules
        self.usesDefaultRules = usesDefaultRules
        self.maxInputLength = maxInputLength
        self.dateFormats = dateFormats
        self.isSerialized = isSerialized
        self.entries = entries
        self.tokenization = tokenization
        self.file = file
        self.coupledCard = coupledCard
        stateHead = Self.stateHead(name: name, type: type, flags: flags)
        validatesUnknownBrand = rules.contains {
            if case .paymentCard(validatesUnknown: true) = $0.check { true } else { false }
        }
    }

    /// A name under which text leaves the server, and its path in the body.
    final class Entry: Sendable {
        let name: String
        let part: Part
        let path: [PathElement]

        init(name: String, part: Part, path: [PathElement]) {
            self.name = name
            self.part = part
            self.path = path
        }
    }

    /// Which part of a field's text an entry holds.
    enum Part: String, Sendable {
        case whole
        case day
        case month
        case year
    }
}

extension Field {
    /// The beginning of the field's state, which is the same for every submission.
    private static func stateHead(name: String, type: FieldType, flags: Flags) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key(name)
        writer.beginObject()
        writeIdentity(name: name, type: type, flags: flags, into: &writer)
        // Without the opening brace of the object that holds all states.
        return Array(writer.bytes.dropFirst())
    }

    /// The members with which a field's state and its description begin.
    static func writeIdentity(name: String, type: FieldType, flags: Flags, into writer: inout JSONWriter) {
        writer.key("fieldName")
        writer.string(name)
        writer.key("type")
        writer.string(type.rawValue)
        writer.key("isRequired")
        writer.bool(flags.isRequired)
        writer.key("isRequiredValidOnly")
        writer.bool(flags.isRequiredValidOnly)
    }
}
