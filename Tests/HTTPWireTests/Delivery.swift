/// How the bytes of a test arrive: the result must never depend on it.
enum Delivery: Sendable, CaseIterable {
    case whole
    case byteByByte
    case randomA
    case randomB
    case randomC

    /// `bytes` split into the pieces that arrive together.
    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        switch self {
        case .whole: return [bytes]
        case .byteByByte: return bytes.map { [$0] }
        case .randomA: return Delivery.cut(bytes, seed: 1, longest: 4)
        case .randomB: return Delivery.cut(bytes, seed: 2, longest: 17)
        case .randomC: return Delivery.cut(bytes, seed: 3, longest: 90)
        }
    }

    static func cut(_ bytes: [UInt8], seed: UInt64, longest: Int) -> [[UInt8]] {
        var generator = SplitMix(seed: seed &+ UInt64(bytes.count))
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...longest, using: &generator))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The bytes of `text`, every scalar up to U+00FF being one byte.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
