/// What holds a secret in memory that a look at its parts would show. It prints, debugs and reflects as `[redacted]`, so that
/// a key that strays into a log line or an error message leaves nothing there. Keys that lie with OpenSSL alone need none of
/// this: a `Mutex` shows nothing of what it guards.
package protocol RedactedPrinting: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension RedactedPrinting {
    public var description: String { "[redacted]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
