/// A JSON number with the digits it came with: `1.10`, `1e400` and `12345678901234567890123` stay what they are
/// (RFC 8259 section 6 leaves range and precision to the implementation, so nothing is rounded here).
public struct JSONNumber: Sendable {
    /// The number as it was written.
    public let text: String

    /// Wraps text that the reader has checked against the grammar.
    init(checked text: String) {
        self.text = text
    }

    /// A whole number.
    public init(_ value: Int) {
        text = String(value)
    }

    /// The number as an `Int`, if it is written as a whole number (no fraction, no exponent) and fits.
    public var int: Int? { Int(text) }
}
