import Testing

@testable import EventHTTP

@Suite struct PartialHeadTests {
    private func read(_ bytes: [UInt8]) -> PartialHead? { PartialHead(bytes.span) }

    @Test(arguments: [
        ("GET /a?b=%zz HTTP/1.1\r\nA: b\r\nhOST:\t x:1 \r\n\r\n", "/a?b=%zz", "x:1"), ("\r\n\r\nGET /a", "/a", nil),
        ("GET /a\r\nHost: a b\r\n", "/a", "a"), ("X /a\u{1}b\r\nHost:\r\nHost: c\r\n", "/a", nil),
        ("G \(String(repeating: "a", count: 2_000)) ", String(repeating: "a", count: 1_024), nil),
        ("G /a HTTP/1.1\r\nHost: \(String(repeating: "a", count: 261))\r\n", "/a", nil),
        ("G /\nHost:", "/", nil), ("G /\nHost: ", "/", nil), ("G /\nXHost: a\r\n", "/", nil),
    ])
    func whatSeemsToBeAskedFor(bytes: String, target: String, host: String?) throws {
        let head = try #require(read(Array(bytes.utf8)))
        #expect(head.target == target && head.host == host)
    }

    @Test(arguments: [
        ("G / HTTP/1.1\r\nHost: x\r\norigin:\thttps://a.example\r\nX", "https://a.example"),
        ("G / HTTP/1.1\r\nX-Origin: https://a.example\r\n", nil), ("G / HTTP/1.1\r\nOrigin: ", nil),
        ("G / HTTP/1.1\r\nHost: origin: a\r\n", nil), ("G /origin:a HTTP/1.1\r\n", nil),
    ])
    func whereItComesFrom(bytes: String, origin: String?) throws {
        #expect(try #require(read(Array(bytes.utf8))).origin == origin)
    }

    @Test(arguments: [
        "", "\r\n", "hello", "hello\r\nGET /a HTTP/1.1\r\n", "GET ", "GET  /a", " GET /a", "\u{16}\u{3}\u{1} a",
    ])
    func whatLooksLikeNoRequest(bytes: String) {
        #expect(read(Array(bytes.utf8)) == nil)
    }

    /// Any prefix of a head.
    @Test func everyBeginningIsRead() {
        let bytes = Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        for count in 0...bytes.count {
            let head = read(Array(bytes[..<count]))
            #expect((head == nil) == (count < 5))
        }
    }
}
