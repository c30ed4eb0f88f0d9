/// What a text looks like, before it is looked up (`docs/reference/vault-api.md` section 6).
public enum AliasShape {
    /// The longest alias: those that keep the length of their value stand for 64 characters at most.
    private static let longest = 64

    /// Whether some format could have made `text`. Most texts are ruled out without a look-up: an alias is a token, or
    /// digits and capital letters up to the last four characters, which may be small letters of the value.
    public static func mayBeAlias(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard (3...longest).contains(bytes.count) else { return false }
            return isPlain(bytes) || isSocialSecurityNumber(bytes) || isToken(bytes) || isFixedLength(bytes)
                || isUUID(bytes)
        }
    }

    /// Whether `text` looks like an alias and like hardly anything else: one with a prefix of its own (`tok_sandbox_…`,
    /// `tok_live_…`, `vgs…`), or a random UUID. An unknown one is a mistake (`docs/reference/proxy.md` section 7).
    public static func isUnmistakable(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isToken($0) || isFixedLength($0) || isUUID($0) }
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let kept = bytes.count >= 6 ? 4 : 0
        return bytes.dropLast(kept).allSatisfy { ASCII.isDigit($0) || ASCII.isCapital($0) }
            && bytes.suffix(kept).allSatisfy(ASCII.isAlphanumeric)
    }

    /// 3-2-4 with one kind of separator.
    private static func isSocialSecurityNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard SocialSecurityNumber.isGrouped(bytes) else { return false }
        return bytes.indices.allSatisfy { $0 == 3 || $0 == 6 || ASCII.isDigit(bytes[$0]) || ASCII.isCapital(bytes[$0]) }
    }

    private static let tokenPrefixes = VaultEnvironment.allCases.map { Array("tok_\($0.rawValue)_".utf8) }

    /// `tok_sandbox_` or `tok_live_`, and what may follow it: letters, digits, and the underscore before a last four.
    private static func isToken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "t") else { return false }
        for prefix in tokenPrefixes {
            guard bytes.count > prefix.count, bytes.count <= longest, bytes.starts(with: prefix) else { continue }
            return bytes.dropFirst(prefix.count).allSatisfy { ASCII.isAlphanumeric($0) || $0 == 0x5f }
        }
        return false
    }

    /// `vgs` and 26 digits in base 58.
    private static func isFixedLength(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count == 29 && bytes.starts(with: "vgs".utf8) && bytes.dropFirst(3).allSatisfy(Base58.alphabet.contains)
    }

    /// Lower case, with hyphens, of version 4 (RFC 9562 section 5.4): the others are no aliases.
    private static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        return bytes.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: bytes[index] == 0x2d
            case 14: bytes[index] == UInt8(ascii: "4")
            case 19: "89ab".utf8.contains(bytes[index])
            default: ASCII.isDigit(bytes[index]) || bytes[index] &- 0x61 < 6
            }
        }
    }
}
