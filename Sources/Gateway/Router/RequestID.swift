import Synchronization

/// Names of requests: version 7 UUIDs (RFC 9562 section 5.7), so that they sort by time. They need to differ, not to be
/// secret: the part after the time is a counter, scattered, that starts anywhere.
enum RequestID {
    private static let counter = Atomic<UInt64>(SystemRandomNumberGenerator.word)
    private static let start = SystemRandomNumberGenerator.word

    /// The caller's own name for the request, if it is one: 1–128 letters, digits, `.`, `_` and `-`.
    static func acceptable(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// A new name.
    static func make() -> String {
        let time = UInt64(truncatingIfNeeded: WallClock.milliseconds)
        let count = counter.add(1, ordering: .relaxed).newValue
        let scattered = scatter(count)
        let high = time << 16 | 0x7000 | (scatter(count ^ start) & 0x0FFF)
        let low = scattered >> 2 | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { text in
            var length = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    text[length] = UInt8(ascii: "-")
                    length += 1
                }
                let word = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word >> UInt64((15 - index % 16) * 4)) & 0xF
                text[length] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                length += 1
            }
            return length
        }
    }

    /// A permutation of 64-bit words (the finaliser of SplitMix64), so that different counts stay different.
    private static func scatter(_ word: UInt64) -> UInt64 {
        var word = word &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

extension SystemRandomNumberGenerator {
    fileprivate static var word: UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
