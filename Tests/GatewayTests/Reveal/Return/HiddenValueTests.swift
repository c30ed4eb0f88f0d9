import JSON
import Sensitive
import Testing

@testable import Gateway

/// Random responses with values hidden in them, written in random ways and split at random places.
@Suite struct HiddenValueTests {
    private static let values = [
        "4012888888881881", "5555555555554444", "378282246310005", "Zoë \"Z\" O'Neil \\ Co/Ltd", "219-09-9999",
        "s3cr3t+pässwörd%20&=", "\u{1F4B3} card of Ann", "000123456789", "DE89 3704 0044 0532 0130 00",
        String(repeating: "long & \"winding\" ", count: 30),
    ]
    private static let fillers = [
        "a", "Zo", "x_", " ", ", ", ": ", "\\n", "%20", "\\u0041", "&amp;", "%", "\\\\", "&", "12", "7", "-", ".",
        "\u{e9}",
        "(", "=", "&#", "%2", "%25", "+", "37", "55", "21", "00", "DE", "long", "\u{2009}",
    ]

    @Test(arguments: 0..<300)
    func nothingComesBack(seed: UInt64) throws {
        var generator = Generator(state: seed)
        let count = Int.random(in: 1...Self.values.count, using: &generator)
        let chosen = Array(Self.values.shuffled(using: &generator).prefix(count))
        let finder = ValueFinder(chosen.enumerated().map { (SensitiveText($1), "tok_sandbox_\($0)") })
        var text: [UInt8] = []
        var hidden = 0
        for _ in 0..<40 {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                text += written(chosen.randomElement(using: &generator) ?? "", &generator)
                // So that the next filler is not taken for more of it.
                text.append(UInt8(ascii: "#"))
                hidden += 1
            } else {
                text += Array((Self.fillers.randomElement(using: &generator) ?? "").utf8)
            }
        }
        for syntax in [TextSyntax.plain, .markup, .form] {
            var scrubber = ResponseScrubber(finder, syntax)
            var scrubbed: [UInt8] = []
            var start = 0
            while start < text.count {
                let end = min(text.count, start + Int.random(in: 1...40, using: &generator))
                scrubbed += try scrubber.scrub(Array(text[start..<end]), isLast: false)
                start = end
            }
            scrubbed += try scrubber.scrub([], isLast: true)
            let result = String(decoding: scrubbed, as: UTF8.self)
            #expect(scrubber.found >= hidden, "\(String(decoding: text, as: UTF8.self)) → \(result)")
            let plain = Self.plain(result)
            for value in chosen {
                #expect(!plain.contains(Self.plain(value)), "\(String(decoding: text, as: UTF8.self)) → \(result)")
            }
        }
    }

    /// The value with each character in one of the ways that text has for it.
    private func written(_ value: String, _ generator: inout Generator) -> [UInt8] {
        let isNumber = value.utf8.allSatisfy { $0.isDigit || $0 == 0x20 || $0 == 0x2D }
        let isPlain = Bool.random(using: &generator)
        var bytes: [UInt8] = []
        for (index, scalar) in value.unicodeScalars.enumerated() {
            if isNumber, index > 0, Int.random(in: 0..<6, using: &generator) == 0 {
                let separators = ["-", " ", "%20", "+", "\u{a0}", "\\u002D", "%C2%A0", "%e2%80%91", "\\u0026nbsp;"]
                bytes += Array(separators.randomElement(using: &generator)!.utf8)
            }
            bytes += isPlain ? Array(String(scalar).utf8) : written(scalar, &generator)
        }
        return bytes
    }

    private func written(_ scalar: Unicode.Scalar, _ generator: inout Generator) -> [UInt8] {
        let utf8 = Array(String(scalar).utf8)
        switch Int.random(in: 0..<13, using: &generator) {
        case 0: return utf8.flatMap { Array("%\(hexadecimal($0, 2, &generator))".utf8) }
        case 1: return utf8.flatMap { Array("%25\(hexadecimal($0, 2, &generator))".utf8) }
        case 2:
            let slashes = String(repeating: "\\", count: [1, 2, 4].randomElement(using: &generator)!)
            return String(scalar).utf16.flatMap { Array("\(slashes)u\(hexadecimal($0, 4, &generator))".utf8) }
        case 3: return Array("&#\(scalar.value);".utf8)
        case 4: return Array("&#x\(String(scalar.value, radix: 16));".utf8)
        case 5 where "\"\\/".unicodeScalars.contains(scalar): return [UInt8(ascii: "\\")] + utf8
        case 6 where scalar == " ": return [UInt8(ascii: "+")]
        // Two kinds mixed: JSON and HTML in a URL, HTML and a URL in JSON, JSON in HTML.
        case 7: return String(scalar).utf16.flatMap { Array("%5Cu\(hexadecimal($0, 4, &generator))".utf8) }
        case 8: return Array("%26%23\(scalar.value)%3b".utf8)
        case 9: return Array("\\u0026#\(scalar.value);".utf8)
        case 10: return utf8.flatMap { Array("\\u0025\(hexadecimal($0, 2, &generator))".utf8) }
        case 11: return String(scalar).utf16.flatMap { Array("&#92;u\(hexadecimal($0, 4, &generator))".utf8) }
        default: return utf8
        }
    }

    private func hexadecimal(_ value: some BinaryInteger, _ digits: Int, _ generator: inout Generator) -> String {
        let text = String(value, radix: 16, uppercase: Bool.random(using: &generator))
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// Letters and digits alone.
    private static func plain(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
}

/// SplitMix64: a failing seed can be run again.
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
