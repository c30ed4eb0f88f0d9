/// A data key as `keys status` shows it.
public struct KeyStatus: Sendable {
    /// The key's number.
    public let id: Int64
    /// Unix seconds.
    public let createdAt: Int64
    /// Seals allotted under it, used or not.
    public let allottedUses: Int64
    /// Whether it seals new values.
    public let isActive: Bool
    /// Whether it is to be used once all processes know the fingerprint key that was made with it.
    public let isWaiting: Bool
    /// Ten hexadecimal digits that show whether two keys are the same.
    public let checkValue: String
}

/// The master key as `keys status` shows it.
public struct MasterKeyStatus: Sendable {
    /// The check value of the key that this process was started with.
    public let checkValue: String
    /// Whether that is the one that is to follow: the change is completed when the vault is served with it.
    public let isNext: Bool
    /// Whether all keys are wrapped under another master key too, which is to follow it.
    public let isBeingChanged: Bool
    /// The check value of that one, if this process was given it.
    public let nextCheckValue: String?
}
