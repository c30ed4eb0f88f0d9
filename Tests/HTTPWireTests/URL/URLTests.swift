import HTTPWire
import Testing

struct URLTests {
    @Test(arguments: [
        ("", "", "", ""),
        ("aZ09-._~", "aZ09-._~", "aZ09-._~", "aZ09-._~"),
        ("a/b", "a%2Fb", "a/b", "a%2Fb"),
        ("a b+c", "a%20b+c", "a%20b%2Bc", "a%20b%2Bc"),
        ("a&b=c;d", "a&b=c;d", "a%26b%3Dc%3Bd", "a%26b%3Dc%3Bd"),
        ("%?#[]", "%25%3F%23%5B%5D", "%25?%23%5B%5D", "%25%3F%23%5B%5D"),
        ("é😀\r\n\"", "%C3%A9%F0%9F%98%80%0D%0A%22", "%C3%A9%F0%9F%98%80%0D%0A%22", "%C3%A9%F0%9F%98%80%0D%0A%22"),
    ])
    func encoding(_ text: String, _ segment: String, _ component: String, _ anywhere: String) throws {
        #expect(PercentEncoding.encode(text, for: .pathSegment) == segment)
        #expect(PercentEncoding.encode(text, for: .queryComponent) == component)
        #expect(PercentEncoding.encode(text, for: .anywhere) == anywhere)
        for encoded in [segment, component, anywhere] { #expect(try PercentEncoding.decode(encoded) == text) }
        #expect(try PercentEncoding.decode(component, plus: .isSpace) == text)
    }

    @Test func decodingIsDoneOnce() throws {
        #expect(try PercentEncoding.decode("%2541") == "%41")
        #expect(try PercentEncoding.decode("%2f%2F") == "//")
        #expect(try PercentEncoding.decode("a+b") == "a+b")
        #expect(try PercentEncoding.decode("a+%2Bb", plus: .isSpace) == "a +b")
    }

    @Test(arguments: [
        "%", "%4", "%4g", "%g4", "a%", "%%41", "%+1", "% 1", "%00", "%ff", "%C3", "%C0%AF", "%ED%A0%80", "%F4%90%80%80",
        "%E2%82", "%80",
    ])
    func whatDoesNotDecode(_ text: String) {
        #expect(throws: WireError.malformedTarget) { try PercentEncoding.decode(text) }
        #expect(throws: WireError.malformedTarget) { try Query("a=\(text)") }
        #expect(throws: WireError.malformedTarget) { try Query("\(text)=a") }
    }

    @Test func queries() throws {
        func items(_ text: String, plus: PercentEncoding.Plus = .isSpace) throws -> [String] {
            try Query(text, plus: plus).items.map { "\($0.name):\($0.value)" }
        }
        #expect(try items("") == [])
        #expect(try items("a=b&c=d") == ["a:b", "c:d"])
        #expect(try items("a&b=&=c&&d=e=f") == ["a:", "b:", ":c", "d:e=f"])
        #expect(try items("a%26=b%3D&%C3%A9=+") == ["a&:b=", "é: "])
        #expect(try items("a=+", plus: .kept) == ["a:+"])
        #expect(try items("a;b=c,d") == ["a;b:c,d"])
        let query = try Query("q=1&p=2&q=3")
        #expect(query["q"] == "1")
        #expect(query.all("q") == ["1", "3"])
        #expect(query["Q"] == nil)
    }
}
