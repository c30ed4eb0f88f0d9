extension AliasFormat {
    /// Whether an alias of this format can stand for `value` (column "accepts" of `docs/reference/vault-api.md` section 6). A digit is an
    /// ASCII digit, and a character outside ASCII fits only the formats that take anything, and `GENERIC_T_FOUR`, which
    /// counts characters as a form does: extended grapheme clusters (`docs/reference/fields.md` section 3).
    public func accepts(_ value: String) -> Bool {
        var bytesOfValue = value
        guard bytesOfValue.withUTF8({ accepts(bytes: $0) }) else { return false }
        return self != .genericTFour || hasEightCharacters(value)
    }

    private func hasEightCharacters(_ value: String) -> Bool {
        let isPlain = value.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0d }
        return isPlain ? value.utf8.count >= 8 : value.prefix(8).count == 8
    }

    private func accepts(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .uuid, .rawUUID, .vgsFixedLenGeneric:
            true
        case .genericTFour:
            bytes.count >= 8 && bytes.suffix(4).allSatisfy(ASCII.isAlphanumeric)
        case .numLengthPreserving:
            (3...16).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
        case .pfpt:
            isCardLike(bytes) && Luhn.isValid(bytes)
        case .fpeSixTFour, .fpeTFour, .alphanumericSixTFour, .alphanumericLengthPreservingSixTFour,
            .nonLuhnFPEAlphanumeric:
            isCardLike(bytes)
        case .fpeSSNTFour, .alphanumericSSNTFour:
            (9...11).contains(bytes.count) && SocialSecurityNumber.digits(of: Array(bytes)) != nil
        case .fpeAccNumTFour:
            (6...32).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
        case .fpeAlphanumericAccNumTFour:
            (6...32).contains(bytes.count) && bytes.allSatisfy(ASCII.isAlphanumeric)
        case .alphanumericLengthPreserving:
            (3...64).contains(bytes.count) && bytes.allSatisfy(ASCII.isPrintable)
        case .alphanumericLengthPreservingTFour:
            (6...64).contains(bytes.count) && bytes.allSatisfy(ASCII.isPrintable)
                && bytes.suffix(4).allSatisfy(ASCII.isAlphanumeric)
        }
    }

    private func isCardLike(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        (12...19).contains(bytes.count) && bytes.allSatisfy(ASCII.isDigit)
    }
}
