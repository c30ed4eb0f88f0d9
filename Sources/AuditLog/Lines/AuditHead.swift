import Crypto

/// How far the log went when it was last synced, in a small file beside it: so that lines cut off its end are missed. It has
/// a code of its own, so that a cut log cannot be given a head that fits.
struct AuditHead: Equatable {
    /// Bytes of every head.
    static let length = 20 + 1 + 64 + 1 + 64 + 1

    let sequence: Int
    /// Code of the line with this number.
    let code: String

    init(sequence: Int, code: String) {
        self.sequence = sequence
        self.code = code
    }

    var position: AuditPosition { AuditPosition(sequence: sequence, digits: code) }

    /// Nil if `bytes` are not the head of a log under this key.
    init?(_ bytes: [UInt8], key: HMACSHA256) {
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int(parts[0]) else { return nil }
        self.init(sequence: sequence, code: String(parts[1]))
        guard let right = self.bytes(key), ConstantTime.equal(right, bytes) else { return nil }
    }

    /// Whether bytes that are no head may be what a power cut has left of one, or of two.
    static func mayBeTorn(_ bytes: [UInt8]) -> Bool {
        for (index, byte) in bytes.enumerated() where byte != 0 {
            let fits =
                switch index {
                case 20, 85: byte == UInt8(ascii: " ")
                case length - 1: byte == UInt8(ascii: "\n")
                case 0..<20: (0x30...0x39).contains(byte)
                case 0..<length: (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                default: false
                }
            if !fits { return false }
        }
        return true
    }

    /// `<20 digits> <64 hexadecimal digits> <64 hexadecimal digits>` and a line break. The length never changes, so that one
    /// write overwrites it in place.
    func bytes(_ key: HMACSHA256) -> [UInt8]? {
        let number = String(sequence)
        let text = String(repeating: "0", count: max(0, 20 - number.utf8.count)) + number + " " + code
        guard let own = AuditChain.code(Array(text.utf8), under: key) else { return nil }
        return Array("\(text) \(own)\n".utf8)
    }
}
