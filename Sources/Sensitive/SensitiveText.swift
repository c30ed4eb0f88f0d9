/// Text that a client submitted, which only the vault and a permitted upstream may receive.
///
/// It prints, debugs and reflects as `[redacted]`, so that a value that reaches a log line, an error message or a crash report by
/// mistake leaves nothing there (PCI DSS 4.0, requirement 3.3). `exposed` is the only access to the text: search for it to audit
/// every use.
public struct SensitiveText: Sendable {
    /// The text itself. Every use of this name is a place where a raw value is handled.
    public let exposed: String

    /// Wraps `text`.
    public init(_ text: String) {
        exposed = text
    }

    /// Whether the text is empty.
    public var isEmpty: Bool { exposed.isEmpty }
}

#if !hasFeature(Embedded)
// Embedded Swift has neither reflection nor the printing of any value, so nothing can be printed there.
extension SensitiveText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[redacted]" }
    public var debugDescription: String { "[redacted]" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
