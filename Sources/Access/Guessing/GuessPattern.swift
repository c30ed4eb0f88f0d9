import Crypto

/// The kept digits that an alias shows of its value, in one format: what somebody who holds the alias knows, and
/// would find the rest of by trying (`docs/reference/access.md` section 4).
public struct GuessPattern: Sendable, Hashable {
    /// The format's name, as in `FPE_SIX_T_FOUR`.
    public let format: String
    /// Characters of the value. Values of different lengths cannot have the same alias in a format that keeps the
    /// length.
    public let length: Int
    /// The digits that the alias keeps, first ones first.
    public let kept: String

    /// The pattern of one value: its format's name, its length in characters, and the digits that its alias keeps.
    public init(format: String, length: Int, kept: String) {
        self.format = format
        self.length = length
        self.kept = kept
    }

    /// Appends unambiguous bytes for a digest.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: format.utf8)
        bytes.append(0)
        bytes.append(bigEndian: UInt64(length))
        bytes.append(contentsOf: kept.utf8)
    }
}
