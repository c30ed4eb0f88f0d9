import Foundation
import JSON
import Testing

/// Mutated texts, judged here and by another reader, Foundation's, which knows neither our strictness about duplicates
/// and surrogates nor our limits, rounds numbers, takes a trailing comma, and loses U+FEFF.
struct FuzzTests {
    private static let seeds = [
        #"{"fields":{"card_number":"4111 1111 1111 1111","cvc":"123"},"extraData":{"order":"A-1","n":[1,2.50,-3e2]}}"#,
        #"[null,true,false,0,-0,1.5,1e10,"",[],{},"\"\\\/\b\f\n\r\t\u0041\ud83d\ude00"]"#,
        #"{"a":{"b":{"c":[[[{"d":"é€😀"}]]]}},"e":"x"}"#, #"  [ 1 , 2 , { "k" : "v" } ]  "#, "\"text\"", "12.5e-3",
    ].map { Array($0.utf8) }

    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "\\udc00", "d83d", "0", "1", "-", "+", ".", "e",
        "E", "null",
        "true", "false", " ", "\n", "\t", "\r", "\u{1}", "é", "\"a\":1,", "/", "//", "''",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let at = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, at + Int.random(in: 0...5, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes.removeSubrange(at..<end)
            case 1: bytes.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: at)
            case 2: bytes.insert(contentsOf: Array(bytes[at..<end]), at: at)
            case 3: bytes.insert(UInt8.random(in: 1 ... .max, using: &generator), at: at)
            default: if at < bytes.count { bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
            }
        }
    }

    private static func isTrailingComma(_ error: JSONError, in bytes: [UInt8]) -> Bool {
        let before = bytes.prefix(error.offset).last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
        return before == UInt8(ascii: ",") && [UInt8(ascii: "]"), UInt8(ascii: "}")].contains(bytes[error.offset])
    }

    @Test(arguments: 0..<8)
    func theOtherReaderAgrees(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<1500 {
            var bytes = FuzzTests.seeds.randomElement(using: &generator) ?? []
            FuzzTests.mutate(&bytes, &generator)
            // Zero bytes make Foundation guess at UTF-16 and UTF-32.
            guard !bytes.contains(0) else { continue }
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            do {
                let value = try JSONValue.parse(bytes)
                if let other {
                    #expect(value.matches(other), "\(bytes)")
                } else {
                    #expect(value.hasNumberBeyondDouble, "\(bytes)")
                }
                // What was read is written so that it is read the same.
                let text = written(value)
                #expect(refusal(of: Array(text.utf8)) == nil, "\(bytes)")
                #expect(try written(JSONText(parsing: bytes)) == text, "\(bytes)")
            } catch {
                let isOurs = [.duplicateKey, .loneSurrogate, .tooDeep].contains(error.reason)
                #expect(other == nil || isOurs || FuzzTests.isTrailingComma(error, in: bytes), "\(error): \(bytes)")
            }
        }
    }
}

extension JSONValue {
    fileprivate func matches(_ other: Any) -> Bool {
        switch self {
        case .null: return other is NSNull
        case .bool(let flag): return (other as? NSNumber)?.boolValue == flag
        case .number(let number): return (other as? NSNumber)?.doubleValue == Double(number.text)
        case .string(let text): return (other as? String)?.hasSameBytes(as: text) == true
        case .array(let elements):
            guard let others = other as? [Any], others.count == elements.count else { return false }
            return zip(elements, others).allSatisfy { $0.matches($1) }
        case .object(let object):
            guard let others = other as? [String: Any], others.count == object.members.count else { return false }
            return object.members.allSatisfy { member in others[member.key].map(member.value.matches) ?? false }
        }
    }

    fileprivate var hasNumberBeyondDouble: Bool {
        switch self {
        case .number(let number): Double(number.text)?.isFinite != true
        case .array(let elements): elements.contains { $0.hasNumberBeyondDouble }
        case .object(let object): object.members.contains { $0.value.hasNumberBeyondDouble }
        case .null, .bool, .string: false
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
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
