import Crypto

/// The aliases that are tokens of their own, with nothing or only the last four characters of the value in them. They
/// are drawn from 2^122 or more, so that two of them never meet.
enum TokenAlias {
    /// A token in the shape of `format`; in the shape of `UUID` for formats that are no tokens (the fallback).
    static func draw(
        _ format: AliasFormat, value: String, environment: VaultEnvironment, _ random: inout RandomBlock
    ) throws(CryptoError) -> String {
        switch format {
        case .rawUUID:
            return try rawUUID(&random)
        case .genericTFour:
            let lastFour = String(decoding: value.utf8.suffix(4), as: UTF8.self)
            return try uuid(environment, &random) + "_" + lastFour
        case .vgsFixedLenGeneric:
            return try fixedLength(&random)
        default:
            return try uuid(environment, &random)
        }
    }

    /// `tok_<environment>_` and 16 random bytes in base 58.
    static func uuid(_ environment: VaultEnvironment, _ random: inout RandomBlock) throws(CryptoError) -> String {
        var digits: [UInt8]
        // 22 or 21 digits. One draw in some 300,000 gives fewer and is thrown away, so that the shape always holds.
        repeat {
            let number = UInt128(try random.word()) << 64 | UInt128(try random.word())
            digits = Base58.encode(number)
        } while digits.count < 21
        return "tok_\(environment.rawValue)_" + String(decoding: digits, as: UTF8.self)
    }

    /// A UUID of version 4 (RFC 9562, section 5.4), lower case.
    static func rawUUID(_ random: inout RandomBlock) throws(CryptoError) -> String {
        let high = try random.word() & ~0xf000 | 0x4000
        let low = try random.word() & ~(3 << 62) | 1 << 63
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<32 {
            if place == 8 || place == 12 || place == 16 || place == 20 { text.append(0x2d) }
            let word = place < 16 ? high : low
            text.append(digits[Int(word >> UInt64(60 - place % 16 * 4) & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func fixedLength(_ random: inout RandomBlock) throws(CryptoError) -> String {
        var text = Array("vgs".utf8)
        for _ in 0..<26 { text.append(Base58.alphabet[try random.uniform(below: 58)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
