/// Text that a client submitted and that nobody but the vault and a permitted upstream may see.
///
/// It prints, debugs and reflects as `[redacted]`, so that a value that strays into a log line, an error message or a
/// crash report leaves nothing there (PCI DSS 4.0, requirement 3.3). `exposed` is the only way to the text: search for
/// it to audit every use.
public struct SensitiveText: Sendable {
    /// The text itself. Every use of this name is a place where a raw value is handled.
    public let exposed: String

    /// Wraps `text`.
    public init(_ text: String) {
        exposed = text
    }

    /// Whether there is no text at all.
    public var isEmpty: Bool { exposed.isEmpty }
}

extension SensitiveText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[redacted]" }
    public var debugDescription: String { "[redacted]" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
