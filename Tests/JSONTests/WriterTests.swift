import JSON
import Testing

struct WriterTests {
    @Test func commasAreTheWritersBusiness() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.number(1)
        writer.number(-23)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.string("x" as StaticString)
        writer.null()
        writer.endArray()
        writer.key("b" as String)
        writer.bool(true)
        writer.key("c")
        writer.verbatim(Array("[1]".utf8))
        writer.key("d")
        writer.bool(false)
        writer.endObject()
        let expected = #"{"a":[1,-23,{},[],"x",null],"b":true,"c":[1],"d":false}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test func piecesAreTakenAsTheyStand() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.beginString()
        for byte in "a\"\n".utf8 { writer.text(byte) }
        writer.raw(Array("é".utf8).span)
        writer.endString()
        for number in [0, 9, 10, 99, 100, -1] { writer.number(number) }
        writer.raw(",{" as StaticString)
        writer.raw(Array("\"k\":".utf8))
        writer.bool(true)
        writer.endObject()
        writer.endArray()
        let expected = #"["a\"\né",0,9,10,99,100,-1,{"k":true}]"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    /// A byte that needs an escape at every place of a text that is looked through eight bytes at a time.
    @Test(arguments: ["\"", "\\", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{20}"])
    func findsWhatNeedsAnEscapeAnywhere(_ special: String) throws {
        for length in 0..<20 {
            for place in 0...length {
                var text = String(repeating: "x", count: length)
                text.insert(contentsOf: special, at: text.index(text.startIndex, offsetBy: place))
                let json = written(.string(text))
                #expect(try JSONValue.parse(Array(json.utf8)).string == text)
                #expect(json.contains("\\") == ["\"", "\\", "\u{0}", "\u{1F}"].contains(special))
            }
        }
    }

    @Test(arguments: [
        ("", ""), ("a/b", "a/b"), ("\"", #"\""#), ("\\", #"\\"#), ("\u{8}\u{9}\u{A}\u{C}\u{D}", #"\b\t\n\f\r"#),
        ("\u{0}\u{1}\u{F}\u{10}\u{1F}", #"\u0000\u0001\u000f\u0010\u001f"#), ("\u{7F}é€😀", "\u{7F}é€😀"),
        ("\u{2028}", "\u{2028}"), ("a\"b\\c\nd", #"a\"b\\c\nd"#), ("\"\"", #"\"\""#),
    ])
    func escapesWhatItMust(_ text: String, _ escaped: String) throws {
        #expect(written(.string(text)) == "\"\(escaped)\"")
        var object = JSONObject()
        object.set(text, .null)
        #expect(written(.object(object)) == "{\"\(escaped)\":null}")
    }

    @Test func everyScalarUpToU300SurvivesARoundTrip() throws {
        for code in UInt32(0)...0x300 {
            let text = String(try #require(Unicode.Scalar(code)))
            let read = try #require(try JSONValue.parse(Array(written(.string(text)).utf8)).string)
            #expect(read.hasSameBytes(as: text))
        }
    }

    @Test(arguments: [0, 5, 9, 10, -1, -9, 12345, .max, .min])
    func numbers(_ value: Int) {
        var writer = JSONWriter(capacity: 0)
        writer.number(value)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(value)")
    }

    @Test func kinds() {
        let all: [JSONValue] = [.null, .bool(true), .number(.init(1)), .string(""), .array([]), .object(.init())]
        #expect(all.map { "\($0.kind)" } == ["null", "a boolean", "a number", "a string", "an array", "an object"])
        #expect(all.compactMap(\.string) == [""])
        #expect(all.compactMap(\.array).count == 1)
        #expect(all.compactMap(\.object).count == 1)
    }
}
