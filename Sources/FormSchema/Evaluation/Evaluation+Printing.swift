#if !hasFeature(Embedded)
// Embedded Swift has neither reflection nor the printing of any value, so nothing can be printed there.

/// Submissions and evaluations hold submitted text, so they print nothing: one that reaches a log line or an error message by
/// mistake leaves no value there (PCI DSS 4.0, requirement 3.3). `writeStates` alone writes what may be shown.
extension Submission: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[submission]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Evaluation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[evaluation]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
