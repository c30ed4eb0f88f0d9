import FormSchema
import Testing

@testable import Gateway

@Suite struct PANFilterTests {
    private func filter(
        _ text: String, _ action: FormSchema.Guard.Action, isJSON: Bool = true, exempt: PANFilter.Exemptions = []
    ) -> (text: String, found: Int, places: [Int]) {
        let bytes = Array(text.utf8)
        var whole = PANFilter(action, isJSON: isJSON, exempt: exempt)
        let filtered = String(decoding: whole.filter(bytes, isLast: true), as: UTF8.self)
        for size in [1, 2, 5, 16] {
            var filter = PANFilter(action, isJSON: isJSON, exempt: exempt)
            var pieces: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                pieces += filter.filter(Array(bytes[start..<min(start + size, bytes.count)]), isLast: false)
            }
            pieces += filter.filter([], isLast: true)
            #expect(String(decoding: pieces, as: UTF8.self) == filtered, "by \(size)")
            #expect(filter.found == whole.found && filter.places == whole.places, "by \(size)")
        }
        return (filtered, whole.found, whole.places)
    }

    @Test(arguments: [
        (#"{"a":"4111111111111111"}"#, #"{"a":"************1111"}"#),
        (#"{"a":4111111111111111,"b":"5555 5555 5555 4444"}"#, #"{"a":"************1111","b":"**** **** **** 4444"}"#),
        (#"{"a":4.111111111111111e15}"#, #"{"a":"************1111"}"#),
        (#"{"\"\\":"x \"3782-822463-10005\" y"}"#, #"{"\"\\":"x \"****-******-*0005\" y"}"#),
        (#"{"a":"\u003411111111111\u0031\u0031\u0031\u0031"}"#, #"{"a":"************\u0031\u0031\u0031\u0031"}"#),
        // All of a number, with its sign, fraction and exponent, becomes a text.
        (#"{"a":-4111111111111111,"b":-1}"#, #"{"a":"************1111","b":-1}"#),
        (
            #"{"a":4111111111111111.0,"b":[-4111111111111111.00e0]}"#,
            #"{"a":"************1111","b":["************1111"]}"#
        ),
        (
            #"[-4.111111111111111e15,4111111111111111e0, 411111111111111.1E+1]"#,
            #"["************1111","************1111", "************1111"]"#
        ),
        (
            #"[4111111111111111000e-3,-4111111111111112,4111111111111111.5]"#,
            #"["************1111",-4111111111111112,4111111111111111.5]"#
        ),
        (#"{"a":"-4111111111111111.0, 4111111111111111e0"}"#, #"{"a":"-************1111.0, ************1111"}"#),
        // What looks like a number is replaced as a whole, wherever it is cut.
        ("[4111111111111111-1-1-1-1-1-1-1-1-1-1]", #"["************1111"]"#),
        (#"{"a":"%34111%201111+1111%201111"}"#, #"{"a":"****%20****+****%201111"}"#), ("[1,2]", "[1,2]"), ("", ""),
    ])
    func masks(text: String, expected: String) {
        #expect(filter(text, .mask).text == expected)
        let report = filter(text, .report)
        #expect(report.text == text && report.found == (text == expected ? 0 : report.places.count))
        #expect((report.found > 0) == (text != expected))
        let off = filter(text, .off)
        #expect(off.text == text && off.found == 0)
    }

    @Test func places() {
        #expect(filter(#"{"a":4111111111111111,"b":" 5555555555554444"}"#, .report).places == [5, 28])
        #expect(filter(String(repeating: "4111111111111111,", count: 100), .report).found == 100)
    }

    @Test func exemptions() {
        let text = "4111 1111 1111 1111, 5555555555554444"
        #expect(
            filter(text, .mask, isJSON: false, exempt: ["4111111111111111"]).text
                == "4111 1111 1111 1111, ************4444")
        #expect(filter(text, .report, exempt: ["4111-1111-1111-1111", "5555555555554444", "x"]).found == 0)
    }

    @Test func texts() {
        #expect(PANMask.masked("card 4111111111111111 and no more") == "card ************1111 and no more")
        #expect(PANMask.masked("nothing 4111111111111112") == "nothing 4111111111111112")
    }
}
