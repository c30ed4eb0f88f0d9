import Glibc

/// What can fail between this process and a peer. Carries no byte of what was read or written.
public enum IOError: Error, Equatable, Sendable {
    /// The deadline passed.
    case timedOut
    /// The task was cancelled, or `Socket.cancel()` was called.
    case cancelled
    /// The peer closed or reset the connection in the middle, or a TLS connection ended without `close_notify`.
    case connectionLost
    /// The socket was closed on this side before.
    case closed
    /// The name has no address.
    case cannotFindHost
    /// Too many names wait to be resolved.
    case tooManyLookUps
    /// Refused or unreachable; the error number of the last address tried.
    case cannotConnect(errno: Int32)
    /// TLS was not established, or the peer broke its rules: OpenSSL's reason.
    case secureConnectionFailed(reason: String)
    /// The peer sent text where TLS was expected.
    case plaintext
    /// A certificate, key or CA file cannot be used: OpenSSL's reason.
    case unusableTLSFile(path: String, reason: String)
    /// A system call failed for a reason of this machine.
    case system(call: StaticString, errno: Int32)

    public static func == (one: IOError, other: IOError) -> Bool { one.description == other.description }
}

extension IOError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .connectionLost: "connection lost"
        case .closed: "socket is closed"
        case .cannotFindHost: "host name does not resolve"
        case .tooManyLookUps: "too many names wait to be resolved"
        case .cannotConnect(let number): "cannot connect: \(errorText(number))"
        case .secureConnectionFailed(let reason): "TLS failed: \(reason)"
        case .plaintext: "the peer does not use TLS"
        case .unusableTLSFile(let path, let reason): "\(path): \(reason)"
        case .system(let call, let number): "\(call): \(errorText(number))"
        }
    }
}

/// The system's text for an error number, from the thread-safe variant of `strerror`.
func errorText(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
        guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
            return "error \(number)"
        }
        return String(cString: start)
    }
}
