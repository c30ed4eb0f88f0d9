import Crypto

/// Random secrets for credentials.
public enum RandomSecret {
    /// 256 random bits as 64 hexadecimal digits.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Hexadecimal.encode(bytes)
    }
}
