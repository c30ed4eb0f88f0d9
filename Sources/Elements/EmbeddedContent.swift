import Synchronization

/// Content that is embedded in base64 and decoded when it is first asked for: most processes are asked for little of it, and all of it
/// would take 8 ms of every start. The first request of a file waits for its decoding, the largest about a millisecond.
final class EmbeddedContent: Sendable {
    private let base64: StaticString
    private let decoded = Mutex<[UInt8]?>(nil)

    /// - Parameter base64: by the build, so that it is known to be valid.
    init(_ base64: StaticString) {
        self.base64 = base64
    }

    var bytes: [UInt8] {
        decoded.withLock { decoded in
            if let decoded { return decoded }
            let bytes = Self.bytes(of: base64)
            decoded = bytes
            return bytes
        }
    }

    private static func bytes(of base64: StaticString) -> [UInt8] {
        base64.withUTF8Buffer { text in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 4 * 3)
            var group: UInt32 = 0
            var digits = 0
            for byte in text {
                let digit = values[Int(byte)]
                guard digit < 64 else { break }
                group = group << 6 | UInt32(digit)
                digits += 1
                guard digits & 3 == 0 else { continue }
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                group = 0
            }
            // Two digits of the last group are one byte, three are two.
            if digits % 4 == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 10)) }
            if digits % 4 == 3 { bytes.append(UInt8(truncatingIfNeeded: group >> 2)) }
            if digits % 4 == 2 { bytes.append(UInt8(truncatingIfNeeded: group >> 4)) }
            return bytes
        }
    }

    /// The values of the digits (RFC 4648 section 4) by their codes; 255 for everything else.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
