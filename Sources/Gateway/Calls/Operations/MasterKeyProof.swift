import Crypto
import Synchronization

/// Proves to the running process that `cloakroom keys`, `compact`, `backup` or `reload` has the master key: an HMAC over the path, the
/// time, a random nonce and the body, under a key derived from it. It is valid for this call alone, and once in a
/// process: with a copy from a proxy's log or a trace the call cannot be made again there.
///
/// A process remembers the proofs that it has accepted for as long as their time would be taken. Others that share its vault do not know
/// them, and a restart forgets them, as does its clock if it is set forward: there a call can be repeated for the rest of its minute.
final class MasterKeyProof: Sendable {
    private static let scheme = "Cloakroom "
    /// Seconds that the time may differ; both processes usually read the same clock.
    fileprivate static let tolerance: Int64 = 60
    /// Proofs that are remembered; only the holder of the key can make one. Beyond them none is accepted.
    fileprivate static let maximum = 1 << 18

    fileprivate struct Accepted {
        /// The times of proofs by their codes.
        var times: [[UInt8]: Int64] = [:]
        /// When those whose time has passed were forgotten.
        var clearedAt = Int64.min
    }

    private let key: HMACSHA256
    private let accepted = Mutex(Accepted())

    init(key: [UInt8]) throws(CryptoError) {
        self.key = try HMACSHA256(key: key)
    }

    /// The value of `Authorization`, another for each call.
    func authorization(_ path: String, _ body: [UInt8]) throws(CryptoError) -> String {
        let time = SystemClock.seconds
        let nonce = Hexadecimal.encode(SystemRandomNumberGenerator.bytes(16))
        return Self.scheme + "\(time):\(nonce):" + Hexadecimal.encode(try code(path, body, time, nonce))
    }

    /// Whether the caller has the master key, and has proved it for this call and none before.
    ///
    /// - Parameter now: Unix seconds.
    func accepts(
        _ authorization: String?, _ path: String, _ body: [UInt8], at now: Int64 = SystemClock.seconds
    ) -> Bool {
        guard let authorization, authorization.hasPrefix(Self.scheme) else { return false }
        let parts = authorization.dropFirst(Self.scheme.count).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(parts[0]), let given = Hexadecimal.decode(parts[2].utf8),
            abs(now - time.clamped(to: 0...(1 << 40))) <= Self.tolerance,
            let expected = try? code(path, body, time, String(parts[1])), ConstantTime.equal(given, expected)
        else { return false }
        return accepted.withLock { $0.add(expected, of: time, at: now) }
    }

    private func code(_ path: String, _ body: [UInt8], _ time: Int64, _ nonce: String) throws(CryptoError) -> [UInt8] {
        try key.code(for: Array("\(path)\n\(time)\n\(nonce)\n".utf8) + body)
    }
}

extension MasterKeyProof.Accepted {
    /// False if it was accepted before, or if there are too many.
    fileprivate mutating func add(_ code: [UInt8], of time: Int64, at now: Int64) -> Bool {
        if clearedAt < now - MasterKeyProof.tolerance {
            times = times.filter { now - $0.value <= MasterKeyProof.tolerance }
            clearedAt = now
        }
        guard times.count < MasterKeyProof.maximum else { return false }
        return times.updateValue(time, forKey: code) == nil
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
