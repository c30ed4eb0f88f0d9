/// What a cryptographic step can fail with. No case carries a key, a message or a part of one.
public enum CryptoError: Error, Sendable, Equatable {
    /// A key, nonce or message has a length that the algorithm does not take; the text names which.
    case unsuitableLength(String)
    /// OpenSSL refused the operation; the text names it.
    case failed(String)
    /// OpenSSL's generator could not be seeded, or does not vouch for its output.
    case noRandomness
}

extension CryptoError: CustomStringConvertible {
    /// One line for a log or a start-up message.
    public var description: String {
        switch self {
        case .unsuitableLength(let what): "unsuitable length: \(what)"
        case .failed(let operation): "\(operation) failed"
        case .noRandomness: "the system's random generator failed"
        }
    }
}
