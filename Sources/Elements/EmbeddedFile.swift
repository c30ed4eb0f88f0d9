/// A file as the build embeds it: string literals are the one kind of bytes that the compiler takes in quickly at this size.
struct EmbeddedFile: Sendable {
    let name: String
    let mediaType: String
    let hash: String
    let integrity: String
    /// The content in base64, by the build, so that it is known to be valid.
    let identity: StaticString
    /// The same in gzip's format.
    let gzip: StaticString

    var decoded: ElementFile {
        ElementFile(
            name: name, mediaType: mediaType, hash: hash, integrity: integrity, bytes: Self.bytes(of: identity),
            compressed: Self.bytes(of: gzip))
    }

    private static func bytes(of base64: StaticString) -> [UInt8] {
        base64.withUTF8Buffer { text in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 4 * 3)
            var group: UInt32 = 0
            var digits = 0
            for byte in text {
                guard let digit = value(of: byte) else { break }
                group = group << 6 | digit
                digits += 1
                guard digits % 4 == 0 else { continue }
                for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: group >> shift)) }
                group = 0
            }
            // Two digits of the last group are one byte, three are two.
            if digits % 4 == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 10)) }
            if digits % 4 == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 2)) }
            if digits % 4 == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
            return bytes
        }
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - 0x41)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - 0x61 + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - 0x30 + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
