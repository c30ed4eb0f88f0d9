import Crypto
import FormSchema
import JSON
import Synchronization

/// Request ids: version 7 UUIDs (RFC 9562 section 5.7), so that they sort by time. They must be unique, not secret: the part
/// behind the time is a counter with a random start, passed through a permutation.
enum RequestID {
    private static let counter = Atomic<UInt64>(SystemRandomNumberGenerator.word)
    private static let start = SystemRandomNumberGenerator.word

    /// Whether a caller's `X-Request-Id` is used: 1–128 letters, digits, `.`, `_` and `-`, with no card number and no SSN in it,
    /// because it is logged.
    static func isAcceptable(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            } && !text.utf8.split(whereSeparator: { !$0.isDigit }).contains(where: isCardNumber)
            && !isCardNumberInGroups(text) && !holdsGroupedNumber(text)
    }

    /// Whether the text is a card number with separators and nothing else.
    private static func isCardNumberInGroups(_ text: String) -> Bool {
        let digits = text.utf8.filter(\.isDigit)
        return digits.count <= 19 && isCardNumber(digits) && beginsCardNumber(digits.span, at: 0)
            && !text.unicodeScalars.contains { $0.properties.isAlphabetic }
    }

    /// Whether digits may be a card number: at least twelve, with a valid check digit (ISO/IEC 7812-1, annex B).
    static func isCardNumber(_ digits: some Collection<UInt8>) -> Bool {
        digits.count >= 12 && passesLuhn(Array(digits).span)
    }

    /// A new id.
    static func make() -> String {
        let time = UInt64(truncatingIfNeeded: SystemClock.milliseconds)
        let count = counter.add(1, ordering: .relaxed).newValue
        let scattered = scatter(count)
        let high = time << 16 | 0x7000 | (scatter(count ^ start) & 0x0FFF)
        let low = scattered >> 2 | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { text in
            write(high >> 32, digits: 8, to: text, at: 0)
            write(high >> 16, digits: 4, to: text, at: 9)
            write(high, digits: 4, to: text, at: 14)
            write(low >> 48, digits: 4, to: text, at: 19)
            write(low, digits: 12, to: text, at: 24)
            for hyphen in stride(from: 8, through: 23, by: 5) { text[hyphen] = UInt8(ascii: "-") }
            return 36
        }
    }

    /// Writes the last `digits` hexadecimal digits of `word`. The caller makes sure that they are within the buffer.
    @inline(__always)
    private static func write(_ word: UInt64, digits: Int, to text: UnsafeMutableBufferPointer<UInt8>, at start: Int) {
        var rest = word
        for index in (0..<digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: rest) & 0xF
            // Branchless, because a branch would be mispredicted half the time: letters start 39 behind the digits.
            text[start + index] = digit &+ 0x30 &+ (((digit &+ 6) >> 4) &* 39)
            rest >>= 4
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
