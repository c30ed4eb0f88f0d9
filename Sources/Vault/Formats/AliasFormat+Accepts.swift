extension AliasFormat {
    /// Whether an alias of this format can stand for `value` (column "accepts" of `vault-api.md` section 6). Looks at
    /// bytes only: a digit is an ASCII digit, and a character outside ASCII fits only the formats that take anything.
    public func accepts(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { accepts(bytes: $0) }
    }

    private func accepts(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        switch self {
        case .uuid, .rawUUID, .vgsFixedLenGeneric:
            true
        case .genericTFour:
            characters(bytes) >= 8 && bytes.suffix(4).allSatisfy(ASCII.isAlphanumeric)
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

    /// Unicode scalars: bytes that do not continue one.
    private func characters(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.lazy.filter { $0 & 0xc0 != 0x80 }.count
    }
}
