import Crypto
import Glibc

/// How far the log went when it was last synced, in a small file beside it: so that lines cut off its end are missed.
/// It has a code of its own, and whoever cuts the log cannot make one that fits.
struct AuditHead: Equatable {
    let sequence: Int
    /// Code of the line with this number.
    let code: String

    /// `<20 digits> <64 hexadecimal digits> <64 hexadecimal digits>` and a line break: always as long, so that it is
    /// overwritten in place by one call.
    func bytes(_ key: HMACSHA256) -> [UInt8]? {
        let number = String(sequence)
        let text = String(repeating: "0", count: max(0, 20 - number.utf8.count)) + number + " " + code
        guard let own = AuditChain.code(Array(text.utf8), under: key) else { return nil }
        return Array("\(text) \(own)\n".utf8)
    }

    init(sequence: Int, code: String) {
        self.sequence = sequence
        self.code = code
    }

    /// Nil if the file is not there, or not a head of this vault's log.
    init?(file path: String, key: HMACSHA256) {
        guard let bytes = AuditBytes.read(path, limit: 256) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int(parts[0]) else { return nil }
        self.init(sequence: sequence, code: String(parts[1]))
        guard let right = self.bytes(key), ConstantTime.equal(right, bytes) else { return nil }
    }
}
