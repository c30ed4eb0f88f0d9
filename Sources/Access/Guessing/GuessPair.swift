import Crypto

/// A caller and a pattern: what guesses are counted for. Its hash finds it in this process.
struct GuessPair: Hashable, Sendable {
    let caller: CallerKey
    let pattern: GuessPattern

    /// What every process of a vault knows the pair by.
    func reportKey(_ hmac: HMACSHA256) throws(CryptoError) -> UInt64 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        caller.append(to: &bytes)
        pattern.append(to: &bytes)
        return UInt64(truncatingIfNeeded: try hmac.code(prefix: bytes, message: "").leading128 >> 64)
    }
}

extension [UInt8] {
    /// Appends a text with its length before it.
    fileprivate mutating func appendText(_ text: String) {
        append(bigEndian: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension CallerKey {
    /// Appends unambiguous bytes, the same in all processes.
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .address(let client):
            bytes.append(client.isProven ? UInt8(ascii: "a") : UInt8(ascii: "h"))
            bytes.append(bigEndian: client.address.high)
            bytes.append(bigEndian: client.address.low)
        case .credential(let name):
            bytes.append(UInt8(ascii: "c"))
            bytes.appendText(name)
        case .session(let id):
            bytes.append(UInt8(ascii: "s"))
            bytes.append(contentsOf: id.bytes)
        case .token(let subject):
            bytes.append(UInt8(ascii: "t"))
            bytes.appendText(subject.issuer)
            bytes.appendText(subject.subject)
        }
    }
}
