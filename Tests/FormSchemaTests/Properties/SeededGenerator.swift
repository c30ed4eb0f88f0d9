/// SplitMix64: the same seed gives the same numbers on every machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Text of up to `length` scalars from all over Unicode, most of them from where fields are sensitive.
    mutating func text(upTo length: Int) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            switch Int.random(in: 0..<10, using: &self) {
            case 0...3: text.append(scalar(of: "0123456789"))
            case 4...5: text.append(scalar(of: "aZxQ"))
            case 6...7: text.append(scalar(of: " -/.()$\\\r\n\0\"'"))
            case 8: text.append(scalar(of: "éß\u{301}\u{200D}👩ǅ٣½\u{600}\u{20E3}日ŉİ"))
            default: text.append(Unicode.Scalar(UInt32.random(in: 0x20...0x2FFFF, using: &self)) ?? "\u{FFFD}")
            }
        }
        return String(text)
    }

    private mutating func scalar(of text: String) -> Unicode.Scalar {
        text.unicodeScalars.randomElement(using: &self) ?? "\u{FFFD}"
    }

    /// A pattern of symbols and literals, none of which is a letter or digit unless `alphanumericLiterals`.
    mutating func pattern(alphanumericLiterals: Bool) -> String {
        let alphabet = Array("####@@aA**-/ .()é1x".prefix(alphanumericLiterals ? 19 : 16))
        return String(
            (0..<Int.random(in: 0...12, using: &self)).compactMap { _ in alphabet.randomElement(using: &self) })
    }
}
