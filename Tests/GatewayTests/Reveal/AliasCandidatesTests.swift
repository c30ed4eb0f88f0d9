import Sensitive
import Testing

@testable import Gateway

/// Limits of what one request may reveal.
@Suite struct AliasCandidatesTests {
    private static func alias(_ number: Int) -> String {
        "tok_sandbox_" + "0000000000000000000000\(number)".suffix(22)
    }

    @Test func textsHaveALimit() throws {
        var candidates = AliasCandidates()
        for number in 0..<AliasCandidates.limit { try candidates.add(Self.alias(number)) }
        #expect(candidates.texts.count == AliasCandidates.limit)
        // One that is there takes no further place, nor does what is no alias.
        try candidates.add(Self.alias(1))
        try candidates.add("x")
        #expect(throws: CallError.self) { try candidates.add(Self.alias(AliasCandidates.limit)) }
    }

    /// A value counts as often as its alias occurs, and as it is written: a control character takes six bytes of JSON, and what
    /// stands in a form three of its bytes.
    @Test(arguments: [
        ("\u{1}", false, 6), ("\u{1}", true, 6), ("%", true, 3), ("%", false, 1), ("\"", false, 2), ("\"", true, 3),
        ("a", false, 1), ("a", true, 1), ("é", false, 2), ("é", true, 6),
    ])
    func valuesCountAsWritten(character: String, isPercentEncoded: Bool, written: Int) throws {
        let value = SensitiveText(String(repeating: character, count: 1 << 15))
        let values = RevealedValues(texts: [Self.alias(1): value])
        var candidates = AliasCandidates()
        let most = AliasCandidates.room / (written << 15)
        for _ in 0..<most { try candidates.add(Self.alias(1)) }
        #expect(throws: Never.self) { try candidates.requireRoom(for: values, isPercentEncoded: isPercentEncoded) }
        try candidates.add(Self.alias(1))
        #expect(throws: CallError.self) { try candidates.requireRoom(for: values, isPercentEncoded: isPercentEncoded) }
    }
}
