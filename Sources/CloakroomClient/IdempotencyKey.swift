import Foundation

/// Names one intended effect, so that repeated requests have it once (`docs/reference/proxy.md` section 8). Make one for each
/// payment, and keep it for as long as the payment may be tried again.
public struct IdempotencyKey: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String

    /// A random key.
    public init() { text = UUID().uuidString }

    /// A key of your own, such as an order's number.
    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.init(text) }
}
