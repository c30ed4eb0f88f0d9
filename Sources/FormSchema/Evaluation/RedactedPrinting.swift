/// Submissions and evaluations hold what was submitted. One that strays into a log line or an error message leaves nothing
/// there (PCI DSS 4.0, requirement 3.3); what may be shown is written by `writeStates` alone.
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
