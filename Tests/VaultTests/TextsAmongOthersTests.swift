import Testing

@testable import Vault

@Suite("Texts that are among others") struct TextsAmongOthersTests {
    @Test(arguments: [
        (["a", "b", "a"], ["a", "c"], ["a", "a"]), ([], ["a"], []), (["a"], [], []),
        (["b", "a"], ["a", "b"], ["b", "a"]),
        (["\u{E9}", "K"], ["e\u{301}", "\u{212A}"], []),
    ])
    func thoseAmongOthers(texts: [String], others: [String], expected: [String]) {
        #expect(texts.among(others).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    /// As many as a body has room for, of which each comparison with each would take minutes here.
    @Test(.timeLimit(.minutes(1))) func many() {
        let texts = (0..<80_000).map { "c\($0)" }
        #expect(texts.among(texts.reversed()) == texts)
    }
}
