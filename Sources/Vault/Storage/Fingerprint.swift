import Crypto

/// The keyed digest by which an equal value is found again: HMAC-SHA-256 over tenant, vault id and value under a key derived
/// from the vault's fingerprint key. Never returned, logged or exported.
public struct Fingerprint: Hashable, Sendable {
    private let code: AuthenticationCode

    /// Takes the code of a value.
    init(_ code: AuthenticationCode) {
        self.code = code
    }

    /// The 32 bytes that a store kept; `nil` if there are not 32.
    public init?(bytes: [UInt8]) {
        guard let code = AuthenticationCode(bytes: bytes) else { return nil }
        self.code = code
    }

    /// The 32 bytes, for a store to keep.
    public var bytes: [UInt8] { code.bytes }

    /// A small number that spreads fingerprints evenly.
    var shard: Int { Int(truncatingIfNeeded: code.words.1 >> 1) }
}

extension Fingerprint: RedactedPrinting {}
