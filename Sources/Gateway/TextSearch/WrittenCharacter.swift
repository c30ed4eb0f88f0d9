/// One character as text may hold it: as its own bytes, or escaped as JSON strings (RFC 8259 section 7), URLs and forms (RFC 3986
/// section 2.1), or HTML do.
struct WrittenCharacter {
    /// Its UTF-8, the first byte lowest.
    private(set) var bytes: UInt32 = 0
    private(set) var count = 0
    /// Where the next character begins.
    let end: Int

    init(_ byte: UInt8, end: Int) {
        bytes = UInt32(byte)
        count = 1
        self.end = end
    }

    /// Half of a surrogate pair is written as three bytes, which no text holds.
    init(scalar: UInt32, end: Int) {
        self.end = end
        switch scalar {
        case ..<0x80: append(scalar)
        case ..<0x800:
            append(0xC0 | scalar >> 6)
            append(0x80 | scalar & 0x3F)
        case ..<0x1_0000:
            append(0xE0 | scalar >> 12)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        default:
            append(0xF0 | scalar >> 18 & 7)
            append(0x80 | scalar >> 12 & 0x3F)
            append(0x80 | scalar >> 6 & 0x3F)
            append(0x80 | scalar & 0x3F)
        }
    }

    /// The same character, which ends elsewhere.
    init(_ other: WrittenCharacter, end: Int) {
        (bytes, count) = (other.bytes, other.count)
        self.end = end
    }

    private mutating func append(_ byte: UInt32) {
        bytes |= byte << UInt32(8 * count)
        count += 1
    }

    /// Its first byte.
    var first: UInt8 { UInt8(truncatingIfNeeded: bytes) }

    /// The character, if it is ASCII.
    var ascii: UInt8? { count == 1 && bytes < 0x80 ? UInt8(truncatingIfNeeded: bytes) : nil }

    /// The digit that it is, in ASCII.
    var digit: UInt8? { ascii.flatMap { $0 &- 0x30 < 10 ? $0 : nil } }

    /// Whether digits are grouped by it: a space or a hyphen, breaking or not, of any width.
    var isSeparator: Bool {
        switch bytes {
        case 0x20, 0x2D, 0xA0C2: true
        // U+2010 to U+2013, U+202F, U+205F, U+3000.
        case 0x9080E2, 0x9180E2, 0x9280E2, 0x9380E2, 0xAF80E2, 0x9F81E2, 0x8080E3: true
        // U+2000 to U+200A.
        default: bytes & 0xFFFF == 0x80E2 && 0x80...0x8A ~= bytes >> 16
        }
    }
}
