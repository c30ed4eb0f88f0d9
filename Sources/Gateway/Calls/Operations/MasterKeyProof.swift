import Crypto

/// Proves to the running process that `cloakroom keys`, `compact`, `backup` or `reload` has the master key: an HMAC over the path, the
/// time and the body, under a key derived from it. It is valid for this call and for a minute.
struct MasterKeyProof: Sendable {
    private static let scheme = "Cloakroom "
    /// Seconds that the time may differ; both processes usually read the same clock.
    private static let tolerance: Int64 = 60

    private let key: HMACSHA256

    init(key: [UInt8]) throws(CryptoError) {
        self.key = try HMACSHA256(key: key)
    }

    /// The value of `Authorization`.
    func authorization(_ path: String, _ body: [UInt8]) throws(CryptoError) -> String {
        let time = SystemClock.seconds
        return Self.scheme + "\(time):" + Hexadecimal.encode(try code(path, body, time))
    }

    /// Whether the caller has the master key.
    func isValid(_ authorization: String?, _ path: String, _ body: [UInt8]) -> Bool {
        guard let authorization, authorization.hasPrefix(Self.scheme) else { return false }
        let parts = authorization.dropFirst(Self.scheme.count).split(separator: ":")
        guard parts.count == 2, let time = Int64(parts[0]), let given = Hexadecimal.decode(parts[1].utf8),
            abs(SystemClock.seconds - time.clamped(to: 0...(1 << 40))) <= Self.tolerance,
            let expected = try? code(path, body, time)
        else { return false }
        return ConstantTime.equal(given, expected)
    }

    private func code(_ path: String, _ body: [UInt8], _ time: Int64) throws(CryptoError) -> [UInt8] {
        try key.code(for: Array("\(path)\n\(time)\n".utf8) + body)
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
