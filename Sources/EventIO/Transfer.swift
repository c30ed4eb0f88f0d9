/// The directions in which a socket can be ready.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Bytes, the end of the connection, or an error can be read.
    public static let read = Interest(rawValue: 1)
    /// There is room to write, or an error to report.
    public static let write = Interest(rawValue: 2)
}

/// The result of a read that does not wait.
public enum Received: Equatable, Sendable {
    /// That many bytes, at least one.
    case bytes(Int)
    /// The peer has ended its side properly; under TLS with `close_notify`.
    case end
    /// Nothing yet: wait for this interest, then read again.
    case wait(Interest)
}

/// The result of a write that does not wait.
public enum Sent: Equatable, Sendable {
    /// The kernel took that many bytes, at least one.
    case bytes(Int)
    /// No room: wait for this interest, then write again from the same byte.
    case wait(Interest)
}
