import Foundation

/// Names one request, so that repeating it has its effect once (`docs/reference/proxy.md` section 8). Make one for each submission, and
/// keep it for as long as that same submission may be sent again: after a timeout or a lost connection, never another key.
///
/// A response is stored under the key, also a refusal. A corrected form is another request and takes a new key: under the old one it
/// gets 422 `idempotencyKeyReused`.
///
/// 1 to 255 printable ASCII characters without a space at either end; with another text calls throw `malformedRequest`.
public struct IdempotencyKey: Sendable, Hashable, ExpressibleByStringLiteral {
    let text: String

    /// A random key.
    public init() { text = UUID().uuidString }

    /// A key of your own, such as an order's number with that of the attempt: `order-17-2`.
    public init(_ text: String) { self.text = text }

    public init(stringLiteral text: String) { self.init(text) }

    /// Whether the gateway takes it. A text that is changed on its way, or not sent at all, would protect nothing.
    var isSendable: Bool {
        1...255 ~= text.utf8.count && text.utf8.allSatisfy { 0x20...0x7E ~= $0 } && text.first != " "
            && text.last != " "
    }
}
