import Crypto

/// Random secrets for credentials.
public enum RandomSecret {
    /// 256 random bits as 64 hexadecimal digits.
    public static func make() -> String {
        Hexadecimal.encode(SystemRandomNumberGenerator.bytes(32))
    }
}
