/// The shapes that an alias can have (`docs/reference/vault-api.md` section 6). The raw value is the name on the wire.
public enum AliasFormat: String, CaseIterable, Sendable {
    case uuid = "UUID"
    case rawUUID = "RAW_UUID"
    case genericTFour = "GENERIC_T_FOUR"
    case numLengthPreserving = "NUM_LENGTH_PRESERVING"
    case pfpt = "PFPT"
    case fpeSixTFour = "FPE_SIX_T_FOUR"
    case fpeTFour = "FPE_T_FOUR"
    case fpeSSNTFour = "FPE_SSN_T_FOUR"
    case fpeAccNumTFour = "FPE_ACC_NUM_T_FOUR"
    case fpeAlphanumericAccNumTFour = "FPE_ALPHANUMERIC_ACC_NUM_T_FOUR"
    case alphanumericSixTFour = "ALPHANUMERIC_SIX_T_FOUR"
    case alphanumericLengthPreserving = "ALPHANUMERIC_LENGTH_PRESERVING"
    case alphanumericLengthPreservingTFour = "ALPHANUMERIC_LENGTH_PRESERVING_T_FOUR"
    case alphanumericSSNTFour = "ALPHANUMERIC_SSN_T_FOUR"
    case alphanumericLengthPreservingSixTFour = "ALPHANUMERIC_LENGTH_PRESERVING_SIX_T_FOUR"
    case nonLuhnFPEAlphanumeric = "NON_LUHN_FPE_ALPHANUMERIC"
    case vgsFixedLenGeneric = "VGS_FIXED_LEN_GENERIC"

    /// The format's number in the reference's table. It is what stores keep, so it must never change.
    public var code: UInt8 {
        switch self {
        case .uuid: 1
        case .rawUUID: 2
        case .genericTFour: 3
        case .numLengthPreserving: 4
        case .pfpt: 5
        case .fpeSixTFour: 6
        case .fpeTFour: 7
        case .fpeSSNTFour: 8
        case .fpeAccNumTFour: 9
        case .fpeAlphanumericAccNumTFour: 10
        case .alphanumericSixTFour: 11
        case .alphanumericLengthPreserving: 12
        case .alphanumericLengthPreservingTFour: 13
        case .alphanumericSSNTFour: 14
        case .alphanumericLengthPreservingSixTFour: 15
        case .nonLuhnFPEAlphanumeric: 16
        case .vgsFixedLenGeneric: 17
        }
    }

    /// The format with this number in the reference's table, if there is one.
    public init?(code: UInt8) {
        guard (1...17).contains(code) else { return nil }
        self = Self.allCases[Int(code) - 1]
    }
}

extension AliasFormat {
    /// Whether its aliases are tokens, for any value: of a shape that nothing but an alias has (`docs/reference/proxy.md` section 7), and
    /// drawn from so many that no process has to know those of others.
    public var isToken: Bool {
        switch self {
        case .uuid, .rawUUID, .genericTFour, .vgsFixedLenGeneric: true
        default: false
        }
    }

    /// Whether there are few aliases for every value that it accepts.
    public var isNarrow: Bool {
        switch self {
        case .fpeAlphanumericAccNumTFour, .alphanumericLengthPreserving, .alphanumericLengthPreservingTFour: false
        default: !isToken
        }
    }

    /// Whether aliases of this format keep characters of the value (`docs/reference/vault-api.md` section 6).
    public var keepsCharacters: Bool {
        switch self {
        case .uuid, .rawUUID, .numLengthPreserving, .alphanumericLengthPreserving, .nonLuhnFPEAlphanumeric,
            .vgsFixedLenGeneric:
            false
        case .genericTFour, .pfpt, .fpeSixTFour, .fpeTFour, .fpeSSNTFour, .fpeAccNumTFour,
            .fpeAlphanumericAccNumTFour, .alphanumericSixTFour, .alphanumericLengthPreservingTFour,
            .alphanumericSSNTFour, .alphanumericLengthPreservingSixTFour:
            true
        }
    }
}
