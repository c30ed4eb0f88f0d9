/// One field of a form. It is made by the loader alone, so whatever it says has been checked.
final class Field: Sendable {
    /// What must hold before a form is stored or sent (`fields.md` section 7).
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
        /// As many digits as the coupled card's brand has in its CVC.
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

    /// The input and output format of a dated field.
    enum DateFormats: Sendable {
        case none
        case expDate(input: ExpDateFormat?, output: ExpDateFormat?)
        case date(input: DateFormat?, output: DateFormat?)
    }

    let name: String
    let type: FieldType
    let flags: Flags
    let shape: Shape
    /// The pattern and the divider of `shape`, if it has them; for a CVC the pattern of one that follows no brand. Taken out of
    /// `shape` they would be counted, and they are looked at by every submission.
    let pattern: FormatPattern
    let divider: String
    let transforms: [Transform]
    let validation: Pattern?
    /// Whether `mask`, `transform` or `validation` shapes it (`elements.md` section 1).
    let isElement: Bool
    let rules: [ValidationRule]
    let usesDefaultRules: Bool
    /// Characters of submitted text; nil for no limit.
    let maxInputLength: Int?
    let dateFormats: DateFormats
    let isSerialized: Bool
    /// Under which names its text leaves the server: its own, or one for each component.
    let entries: [Entry]
    let tokenization: Tokenization?
    let file: FileLimits?
    /// For a CVC: which field of the form holds the number of the same card.
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

    /// A name under which text leaves the server, and where the mapping policy puts it.
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

/// How a field's values are aliased (`vault-api.md` section 7).
final class Tokenization: Sendable {
    let format: String
    let storage: AliasStorage
    let classifiers: [String]
    /// Whether the format takes a value.
    let accepts: @Sendable (String) -> Bool

    init(
        format: String, storage: AliasStorage, classifiers: [String], accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.format = format
        self.storage = storage
        self.classifiers = classifiers
        self.accepts = accepts
    }
}

/// Where a value is kept (`vault-api.md` section 4).
public enum AliasStorage: String, Sendable, CaseIterable {
    case persistent = "PERSISTENT"
    case volatile = "VOLATILE"
}

/// What a file field takes (`fields.md` section 12).
struct FileLimits: Sendable {
    /// A file of this many bytes is too large.
    let maxBytes: Int
    /// Nil for any type.
    let contentTypes: [ContentType]?
}
