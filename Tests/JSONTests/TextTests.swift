import JSON
import Testing

/// What a text that was read says of its values without making them.
struct TextTests {
    private func text(_ json: String) throws -> JSONText { try JSONText(parsing: Array(json.utf8)) }

    @Test func kinds() throws {
        let text = try text(#"[null,true,false,-1.5,"a","é","\u0061",[],{}]"#)
        let kinds = text.elements(of: text.root).map { text.kind(at: $0) }
        #expect(
            kinds == [.null, .boolean, .boolean, .number, .string, .string, .string, .array, .object])
    }

    @Test func lines() throws {
        let text = try text("\r\n[null,\n true, 1\n,\"a\",\"\\u0061\"\n\n,\n[\n],{\"\\n\"\n:\n2}]\n")
        var lines = JSONLines(of: text)
        #expect(lines.line(of: text.root) == 2)
        let elements = Array(text.elements(of: text.root))
        #expect(elements.map { lines.line(of: $0) } == [2, 3, 3, 4, 4, 7, 8])
        let member = try #require(elements.last.flatMap { text.members(of: $0).first { _ in true } })
        #expect([lines.line(of: member.key), lines.line(of: member.value)] == [8, 10])
    }

    @Test func membersStandInOrderWhateverTheyHold() throws {
        let text = try text(#" { "a" : { "x" : [ 1 , { "y" : { } } ] } , "b" : [ [ ] , { } ] , "c" : "d" , "" : 1 } "#)
        let members = text.members(of: text.root)
        #expect(members.map { text.string(at: $0.key) } == ["a", "b", "c", ""])
        #expect(members.map { text.kind(at: $0.value) } == [.object, .array, .string, .number])
        #expect(members.map { text.string(at: $0.value) } == [nil, nil, "d", nil])
    }

    @Test(arguments: ["{}", "[]", "1", "\"a\"", "null"])
    func whatHoldsNothing(_ json: String) throws {
        let text = try text(json)
        #expect(Array(text.members(of: text.root)).isEmpty)
        #expect(Array(text.elements(of: text.root)).isEmpty)
    }

    @Test func anArrayHasNoMembersAndAnObjectNoElements() throws {
        let array = try text(#"["a",1]"#)
        #expect(Array(array.members(of: array.root)).isEmpty)
        let object = try text(#"{"a":1}"#)
        #expect(Array(object.elements(of: object.root)).isEmpty)
    }

    @Test(arguments: [
        (#""name""#, "name"), (#""n\u0061me""#, "name"), (#""""#, ""), (#""é""#, "é"), (#""e\u0301""#, "e\u{301}"),
        (#""a\/b\n""#, "a/b\n"), (#""\ud83d\ude00""#, "😀"),
    ])
    func aStringIsItselfByteForByte(_ json: String, _ string: String) throws {
        let text = try text(json)
        #expect(text.string(at: text.root)?.hasSameBytes(as: string) == true)
        #expect(text.holds(string, at: text.root))
        #expect(!text.holds(string + "x", at: text.root))
        #expect(!text.holds("é".hasSameBytes(as: string) ? "e\u{301}" : "é", at: text.root))
    }

    @Test func onlyAStringHoldsAString() throws {
        for json in ["1", "true", "null", "[]", "{}"] {
            let text = try text(json)
            #expect(!text.holds(json, at: text.root))
            #expect(!text.holds("", at: text.root))
            #expect(text.string(at: text.root) == nil)
        }
    }

    @Test(arguments: [
        #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#, #"{"a":{"a":1,"b":{},"a":[]}}"#,
    ])
    func aNameIsTheSameHoweverItIsWritten(_ json: String) {
        #expect(refusal(of: Array(json.utf8)) == .duplicateKey)
    }

    @Test func anInnerNameIsNoOuterOne() throws {
        let json = #"{"a":{"b":1,"c":{"a":2}},"b":[{"a":3}],"c":4}"#
        #expect(try written(text(json)) == json)
    }

    @Test func writesWhatItReadWithoutBlanks() throws {
        let json = " { \"a\" : [ 1.50 , -0 , 1E+2 , true , false , null ] , \"\\u00e9\\n\" : \"é\\\"\\/\" } "
        #expect(try written(text(json)) == "{\"a\":[1.50,-0,1E+2,true,false,null],\"é\\n\":\"é\\\"/\"}")
    }
}
