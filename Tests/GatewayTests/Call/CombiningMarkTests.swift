import Access
import Crypto
import HTTPWire
import Sensitive
import Testing

@testable import Configuration
@testable import Gateway

/// Scalars that join what stands before them, or behind U+0600, into one `Character`: whoever splits text by characters misses
/// the separator that all others see.
@Suite struct CombiningMarkTests {
    static let joiners = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}"]

    @Test(arguments: joiners)
    func aSlashIsASlash(joiner: String) throws {
        let encoded = PercentEncoding.encode(joiner, for: .pathSegment)
        #expect(try ForwardPath(raw: "/a/\(encoded)b").encoded == "a/\(encoded)b")
        #expect(try ForwardPath(raw: "/\(encoded)b").encoded == "\(encoded)b")
        #expect(try ForwardPath(literal: "a/\(joiner)").encoded == "a/\(encoded)")
        for path in ["../\(joiner)x", "./\(joiner)", "a/../\(joiner)", "\(joiner)/.."] {
            #expect(throws: ForwardPath.Fault.dotSegment) { try ForwardPath(literal: path) }
        }
        #expect(
            try PathPattern("/orders/*").map { $0.matches(try ForwardPath(literal: "orders/\(joiner)/x").encoded) }
                == false)
        #expect(try PathPattern("/*").map { $0.matches(try ForwardPath(literal: "a/\(joiner)x").encoded) } == false)
        #expect(
            try PathPattern("/a/\(joiner)*/b").map { $0.matches(try ForwardPath(literal: "a/\(joiner)c/b").encoded) }
                == true)
        #expect(PathPattern("/a**\(joiner)") == nil)
        #expect(throws: BaseURL.Fault.path) { try BaseURL("https://h/a%2F\(encoded)") }
    }

    @Test func whatJoinsTheNextCharacterHidesNoSlash() throws {
        #expect(try ForwardPath(literal: "a\u{600}/b").encoded == "a%D8%80/b")
        #expect(throws: ForwardPath.Fault.dotSegment) { try ForwardPath(literal: "\u{600}/../b") }
        #expect(pairs("a\u{600}&b=tok_sandbox_1").candidates == ["tok_sandbox_1"])
    }

    private func pairs(_ text: String, pointer: String? = nil) -> PairText {
        var rules = RevealRules()
        if let pointer = pointer.flatMap({ JSONPointer($0) }) { rules.body = .pointers([pointer]) }
        return PairText(text, lookup: BodyPlaces(rules).lookup(atName:))
    }

    @Test(arguments: joiners)
    func pointersEndTheirTokensAtSlashes(joiner: String) throws {
        #expect(JSONPointer("/a/\(joiner)b")?.tokens == ["a", "\(joiner)b"])
        #expect(JSONPointer("/\(joiner)b")?.tokens == ["\(joiner)b"])
        #expect(JSONPointer("/a~1\(joiner)~0\(joiner)")?.tokens == ["a/\(joiner)~\(joiner)"])
        #expect(JSONPointer("/~01~10")?.tokens == ["~1/0"])
        for broken in ["/~", "/~2", "/~\(joiner)0", "a/\(joiner)"] { #expect(JSONPointer(broken) == nil) }
    }

    @Test(arguments: joiners)
    func pairsEndWhereTheirMarksStand(joiner: String) {
        #expect(pairs("a=1&\(joiner)b=tok_sandbox_1").candidates == ["tok_sandbox_1"])
        #expect(pairs("a=\(joiner)b").candidates == [])
        #expect(pairs("a=tok_sandbox_1&\(joiner)").text(RevealedValues([:])) == "a=tok_sandbox_1&\(joiner)")
        let items = try? Query("a=1&\(joiner)b=\(joiner)2").items.map { "\($0.name)|\($0.value)" }
        #expect(items == ["a|1", "\(joiner)b|\(joiner)2"])
    }

    /// "é" in one scalar and in two; the sign of kelvins, which is canonically a K.
    @Test func namesAreEqualByTheirBytes() throws {
        #expect(pairs("e%CC%81=tok_sandbox_1", pointer: "/\u{E9}").candidates == [])
        #expect(pairs("%C3%A9=tok_sandbox_1", pointer: "/\u{E9}").candidates == ["tok_sandbox_1"])
        let values = RevealedValues(texts: ["tok_sandbox_K": .init("v")])
        #expect(values["tok_sandbox_K"] == "v" && values["tok_sandbox_\u{212A}"] == nil)
        let query = try Query("%C3%A9=1")
        #expect(query["\u{E9}"] == "1" && query["e\u{301}"] == nil && query.all("e\u{301}").isEmpty)
        #expect(CrossOrigin.allowedOrigin(for: try head(["Origin: https://\u{212A}"]), among: ["https://K"]) == nil)
    }

    @Test(arguments: joiners)
    func credentialsEndTheirUserAtTheColon(joiner: String) {
        let encoded = Base64.encode(Array("u:\(joiner)p".utf8))
        let basic = Presented(header: "Basic \(encoded)")
        #expect(basic?.username == "u" && basic?.secret.bytes == Array("\(joiner)p".utf8))
        #expect(Presented(header: "Bearer \(joiner)t")?.secret.bytes == Array("\(joiner)t".utf8))
        #expect(HeaderAliases("Basic \(encoded)").parts == ["u", "\(joiner)p"])
        #expect(HeaderAliases("Bearer \(joiner)t").parts == ["\(joiner)t"])
        let colon = RevealedValues(texts: ["tok_sandbox_1": .init("a:\(joiner)")])
        let value = "Basic \(Base64.encode(Array("tok_sandbox_1:p".utf8)))"
        #expect(HeaderAliases(value).text(colon, value: value) == nil)
    }

    @Test(arguments: joiners)
    func mediaTypesEndAtTheSemicolon(joiner: String) {
        #expect(MediaType.readable("application/json;\(joiner)") == .json)
        #expect(MediaType.readable("application/x-www-form-urlencoded;\(joiner)x=y") == .form)
        #expect(MediaType.isJSON("application/json;\(joiner)x=y"))
    }

    private func head(_ lines: [String]) throws -> RequestHead {
        var parser = RequestHeadParser()
        let text = (["GET / HTTP/1.1", "Host: h"] + lines).joined(separator: "\r\n") + "\r\n\r\n"
        return try #require(try parser.parse(Array(text.utf8).span))
    }
}

extension PairText {
    fileprivate var candidates: [String] {
        var all = AliasCandidates()
        try? collect(into: &all)
        return all.texts
    }
}

extension HeaderAliases {
    fileprivate var parts: [String] {
        switch self {
        case .whole(let text): [text]
        case .bearer(_, let token): [token]
        case .basic(_, let user, let password): [user, password]
        }
    }
}
