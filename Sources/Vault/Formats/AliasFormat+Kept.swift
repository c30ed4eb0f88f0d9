extension AliasFormat {
    /// Whether aliases of this format keep characters of the value (`vault-api.md` section 6).
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
