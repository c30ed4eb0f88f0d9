import JSON
import Testing

struct ObjectTests {
    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"":1,"":2}"#,
        #"{"\/":1,"/":2}"#, #"{"\n":1,"\u000A":2}"#, #"{"é":1,"\u00e9":2}"#, #"{"😀":1,"\ud83d\ude00":2}"#,
        #"[{"x":{"a":1,"a":null}}]"#, #"{"a":{},"a":[]}"#, #"{"a":{"a":1},"a":2}"#,
    ])
    func aNameGivenTwiceIsRefused(_ text: String) {
        #expect(refusal(of: Array(text.utf8)) == .duplicateKey)
    }

    @Test(arguments: [
        // Different bytes are different names, even where Unicode calls the texts equivalent.
        "{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"a\":1,\"A\":2}", "{\"a\":{\"a\":1}}", "[{\"a\":1},{\"a\":2}]",
        "{\"a\":1,\"a\u{0}\":2}".replacing("\u{0}", with: "\\u0000"),
    ])
    func differentNamesAreTaken(_ text: String) {
        #expect(refusal(of: Array(text.utf8)) == nil)
    }

    @Test(arguments: [15, 16, 17, 18, 1000])
    func manyNames(_ count: Int) throws {
        let members = (0..<count).map { "\"k\($0)\":\($0)" }
        let object = try #require(try JSONValue.parse(Array("{\(members.joined(separator: ","))}".utf8)).object)
        #expect(object.members.map(\.key) == (0..<count).map { "k\($0)" })
        for twice in [0, count / 2, count - 1] {
            let text = "{\(members.joined(separator: ",")),\"\\u006b\(twice)\":0}"
            #expect(refusal(of: Array(text.utf8)) == .duplicateKey)
        }
    }

    @Test func lookingUpAndReplacing() throws {
        var object = try #require(try JSONValue.parse(Array("{\"b\":1,\"a\":\"x\",\"\u{E9}\":2}".utf8)).object)
        #expect(object["a"]?.string == "x")
        #expect(object["c"] == nil)
        #expect(object["e\u{301}"] == nil)
        object.set("b", .array([.null]))
        object.set("c", .bool(true))
        #expect(written(.object(object)) == "{\"b\":[null],\"a\":\"x\",\"é\":2,\"c\":true}")
        #expect(object["b"]?.array?.count == 1)
    }
}
