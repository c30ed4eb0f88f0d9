/// What a body decoder made of the bytes that it was given.
public struct BodyProgress: Sendable, Hashable {
    /// How many bytes belong to the body and need not be given again. Less than all only when the body is complete.
    public let consumed: Int
    /// Whether the body has ended; what follows belongs to the next message.
    public let isComplete: Bool
}
