/// The setting `vault.idempotency`.
struct IdempotencyLimits: Sendable {
    /// Seconds for which a key lives.
    var lifetime: Int64 = 86_400
    /// Bytes of all stored responses. A response that does not fit is not stored, and repetitions get 409.
    var bytes = 1 << 30
    /// Keys that may live at once. A request with a new key beyond it is refused before it is carried out.
    var entries = 1_000_000
}
