import JSON
import Testing

/// How deep arrays and objects may be nested.
struct DepthTests {
    private func arrays(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }

    private func objects(_ depth: Int) -> [UInt8] {
        Array((String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)).utf8)
    }

    @Test func sixtyFourByDefault() {
        #expect(refusal(of: arrays(64)) == nil)
        #expect(refusal(of: arrays(65)) == .tooDeep)
        #expect(refusal(of: objects(64)) == nil)
        #expect(refusal(of: objects(65)) == .tooDeep)
        let mixed = String(repeating: "[{\"a\":", count: 32) + "0" + String(repeating: "}]", count: 32)
        #expect(refusal(of: Array(mixed.utf8)) == nil)
        #expect(refusal(of: Array("[\(mixed)]".utf8)) == .tooDeep)
    }

    @Test func closedOnesDoNotCount() {
        let flat = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(refusal(of: Array(flat.utf8), maximumDepth: 3) == nil)
        #expect(refusal(of: Array(flat.utf8), maximumDepth: 2) == .tooDeep)
    }

    @Test func otherLimits() {
        #expect(refusal(of: Array("1".utf8), maximumDepth: 0) == nil)
        #expect(refusal(of: arrays(1), maximumDepth: 0) == .tooDeep)
        #expect(refusal(of: arrays(1), maximumDepth: 1) == nil)
    }

    @Test func endlessNestingIsRefusedWhereItPassesTheLimit() throws {
        let error = #expect(throws: JSONError.self) {
            try JSONValue.parse([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))
        }
        #expect(error?.reason == .tooDeep)
        #expect(error?.offset == 64)
    }
}
