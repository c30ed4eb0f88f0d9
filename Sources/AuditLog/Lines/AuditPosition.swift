import Crypto

/// A place in a log's chain: behind the line with this number.
public struct AuditPosition: Sendable, Equatable {
    /// Number of the line; 0 stands before the first line.
    public let sequence: Int
    /// The line's code, 64 hexadecimal digits.
    let digits: String

    /// Before the first line of a new log.
    public static let origin = AuditPosition(sequence: 0, digits: AuditChain.origin)

    init(sequence: Int, digits: String) {
        self.sequence = sequence
        self.digits = digits
    }

    /// - Parameter code: the 32 bytes of the line's code.
    public init(sequence: Int, code: [UInt8]) {
        self.init(sequence: sequence, digits: Hexadecimal.encode(code))
    }

    /// The 32 bytes of the line's code.
    public var code: [UInt8] { Hexadecimal.decode(digits.utf8) ?? [] }
}
