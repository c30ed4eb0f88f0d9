import JSON
import Sensitive
import Testing

@testable import Gateway

/// What went out never comes back (docs/reference/proxy.md section 7).
@Suite struct ResponseScrubberTests {
    private static let card = "4111111111111111"
    private static let alias = "tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN"
    private static let pairs = [
        (card, alias), ("321", "tok_sandbox_Cvc"), ("09", "tok_sandbox_Month"), ("2031", "tok_sandbox_Year"),
        ("Zoë O\"Neil/Sons", "tok_sandbox_Name"), ("219-09-9999", "791-31-9999"), ("000123456789", "730518466789"),
        ("Jürgen O'Brien-Smith", "tok_sandbox_Brien"), ("Ann Li", "tok_sandbox_Ann"),
        ("4111111111111111117", "9914111111111111117"), ("100%41&x", "tok_sandbox_Odd"),
    ]

    /// The quote that ends a text may come to stand, in what is kept of the pieces before, where an escape was.
    @Test(arguments: 0..<80) func escapesOfThePieceBefore(length: Int) throws {
        // Behind more than is kept of a piece: in front of it, places are counted from the start of the text.
        let front = String(repeating: "x", count: 60)
        let filler = String(repeating: "y", count: length)
        let text = #"{"a":"\#(front)\n\#(filler)","b":4111111111111111}"#
        #expect(try scrub(text, .json) == #"{"a":"\#(front)\n\#(filler)","b":"\#(Self.alias)"}"#)
    }

    private func scrub(_ text: String, _ syntax: TextSyntax, pairs: [(String, String)] = pairs) throws -> String {
        let finder = ValueFinder(pairs.map { (SensitiveText($0.0), $0.1) })
        let whole = Array(text.utf8)
        var scrubber = ResponseScrubber(finder, syntax)
        let scrubbed = try scrubber.scrub(whole, isLast: true)
        // However it is split, it is the same.
        for size in [1, 2, 3, 7, 16] {
            var scrubber = ResponseScrubber(finder, syntax)
            var pieces: [UInt8] = []
            for start in stride(from: 0, to: whole.count, by: size) {
                pieces += try scrubber.scrub(Array(whole[start..<min(start + size, whole.count)]), isLast: false)
            }
            pieces += try scrubber.scrub([], isLast: true)
            #expect(String(decoding: pieces, as: UTF8.self) == String(decoding: scrubbed, as: UTF8.self), "by \(size)")
        }
        return String(decoding: scrubbed, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":"4111111111111111"}"#, #"{"a":"ALIAS"}"#),
        (#"{"error":"card 4111111111111111 declined"}"#, #"{"error":"card ALIAS declined"}"#),
        (#"{"error":"card 4111 1111 1111 1111."}"#, #"{"error":"card ALIAS."}"#),
        (#"{"error":"4111-1111-1111-1111"}"#, #"{"error":"ALIAS"}"#),
        (#"{"error":"4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"}"#, #"{"error":"ALIAS"}"#),
        (#"{"error":"4111\u00a01111\u00A01111 - 1111"}"#, #"{"error":"ALIAS"}"#),
        ("{\"error\":\"4111\u{a0}1111\u{2011}1111\u{2009}1111\"}", #"{"error":"ALIAS"}"#),
        (#"{"4111111111111111":1}"#, #"{"ALIAS":1}"#),
        (#"{"a":4111111111111111}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":4111111111111111,"b":2}"#, #"{"a":"ALIAS","b":2}"#),
        (#"{"a":4111111111111111.0}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":4.111111111111111e15}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":4.111111111111111E+15}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":41111111111111110e-1}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":-4111111111111111}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":[4111111111111111 , 1]}"#, #"{"a":["ALIAS" , 1]}"#),
        (#"[994111111111111111100]"#, #"["ALIAS"]"#),
        (#"{"a":"4.111111111111111e15 USD"}"#, #"{"a":"ALIAS USD"}"#),
        (#"{"a":"\u0034\u0031\u00311\u003111111111\u0031\u0031\u0031"}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":"x\u003111\n4111111111111111\t"}"#, #"{"a":"x\u003111\nALIAS\t"}"#),
        (#"{"a":"{\"b\":\"\\u00344111111111111111\"}"}"#, #"{"a":"{\"b\":\"\\u0034ALIAS\"}"}"#),
        (#"{"a":"{\"b\":\"\\u0034111111111111111\"}"}"#, #"{"a":"{\"b\":\"ALIAS\"}"}"#),
        (#"{"a":"https:\/\/x\/?c=%34111111111111111&d"}"#, #"{"a":"https:\/\/x\/?c=ALIAS&d"}"#),
        (#"{"a":"%25344111111111111111"}"#, #"{"a":"%2534ALIAS"}"#),
        (#"{"a":"%2534111111111111111"}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":"%4111111111111111"}"#, #"{"a":"%ALIAS"}"#),
        (#"{"a":"\\4111111111111111"}"#, #"{"a":"\\ALIAS"}"#),
        (#"{"a":"\\\"4111111111111111\\\""}"#, #"{"a":"\\\"ALIAS\\\""}"#),
        (#"{"a":"&#52;111111111111111&#x31;"}"#, #"{"a":"ALIAS&#x31;"}"#),
        (#"{"a":"&#52;11111111111111&#x31;"}"#, #"{"a":"ALIAS"}"#),
        (#"{"a":"&#52&#49&#x31&#49;11111111111&#49 x"}"#, #"{"a":"ALIAS x"}"#),
        (#"{"a":"<b>&#52&#49&#x31&#49;11111111111&#49</b>"}"#, #"{"a":"<b>ALIAS</b>"}"#),
        // A value that another begins.
        (#"{"a":"4111111111111111117"}"#, #"{"a":"9914111111111111117"}"#),
        (#"{"a":4111111111111111117}"#, #"{"a":"9914111111111111117"}"#),
        // As programs write it that keep numbers as doubles.
        (#"{"a":4111111111111111000}"#, #"{"a":"9914111111111111117"}"#),
        (#"{"a":4.111111111111111e18}"#, #"{"a":"9914111111111111117"}"#),
        (#"{"a":"4111111111111111118"}"#, #"{"a":"ALIAS118"}"#),
        // Texts.
        (#"{"a":"Zoë O\"Neil/Sons"}"#, #"{"a":"tok_sandbox_Name"}"#),
        (#"{"a":"Zo\u00eB O\u0022Neil\/Sons"}"#, #"{"a":"tok_sandbox_Name"}"#),
        (#"{"a":"Zo%C3%ab+O%22Neil%2fSons"}"#, #"{"a":"tok_sandbox_Name"}"#),
        (#"{"a":"{\"b\":\"Zo\\u00eb O\\\"Neil\\/Sons\"}"}"#, #"{"a":"{\"b\":\"tok_sandbox_Name\"}"}"#),
        (#"{"a":"Zo&#235; O&quot;Neil/Sons"}"#, #"{"a":"tok_sandbox_Name"}"#),
        (#"{"a":"100%41&x 100%2541%26x 100A&x"}"#, #"{"a":"tok_sandbox_Odd tok_sandbox_Odd 100A&x"}"#),
        // With other separators, or none.
        (#"{"a":"219-09-9999 219099999 219 09 9999"}"#, #"{"a":"791-31-9999 791-31-9999 791-31-9999"}"#),
        (#"{"a":219099999}"#, #"{"a":"791-31-9999"}"#),
        (#"{"a":123456789}"#, #"{"a":"730518466789"}"#),
        // Up to eight characters: words.
        (#"{"a":"cvc 321 declined, 321."}"#, #"{"a":"cvc CVC declined, CVC."}"#),
        (#"{"a":"?cvc=321&b"}"#, #"{"a":"?cvc=CVC&b"}"#),
        (#"{"a":"\n321\u0020%20321%2C"}"#, #"{"a":"\nCVC\u0020%20CVC%2C"}"#),
        (#"{"a":"\u0033\u0032\u0031"}"#, #"{"a":"CVC"}"#),
        (#"{"a":321,"b":[321],"c":321.0}"#, #"{"a":"CVC","b":["CVC"],"c":"CVC"}"#),
        (
            #"{"a":"1321 3210 a321 321b 32.321 321.50 321_ 5-321"}"#,
            #"{"a":"1321 3210 a321 321b 32.321 321.50 321_ 5-321"}"#
        ),
        (#"{"a":13210,"b":321.5,"c":-321}"#, #"{"a":13210,"b":321.5,"c":-321}"#),
        (#"{"a":"2031-09-01T20:31:09Z"}"#, #"{"a":"2031-09-01T20:31:09Z"}"#),
        (#"{"a":"09/2031"}"#, #"{"a":"09/tok_sandbox_Year"}"#),
        (#"{"a":"2031/09","b":"Sep 2031"}"#, #"{"a":"tok_sandbox_Year/09","b":"Sep tok_sandbox_Year"}"#),
        // Dates and times.
        (
            #"{"a":"Wed, 21 Oct 2031 07:28:00 GMT","b":"21/10/2031"}"#,
            #"{"a":"Wed, 21 Oct 2031 07:28:00 GMT","b":"21/10/2031"}"#
        ),
        (
            #"{"a":"2031/10/21 03:41:16,321","b":"October 1, 2031"}"#,
            #"{"a":"2031/10/21 03:41:16,321","b":"October 1, 2031"}"#
        ),
        (
            #"{"a":"no. 1, 2031/1","b":"21 cars 2031"}"#,
            #"{"a":"no. 1, tok_sandbox_Year/1","b":"21 cars tok_sandbox_Year"}"#
        ),
        (#"{"a":"Ann Li, Ann Lippmann"}"#, #"{"a":"tok_sandbox_Ann, Ann Lippmann"}"#),
        // Up to two: whole texts.
        (#"{"a":"09","09":"x09","b":["09"]}"#, #"{"a":"MONTH","MONTH":"x09","b":["MONTH"]}"#),
        (#"{"a":"at 09 o'clock","b":9,"c":"\"09\""}"#, #"{"a":"at 09 o'clock","b":9,"c":"\"09\""}"#),
        // Nothing to find.
        (
            #"{"a":"411111111111111","b":"4111111111111112","c":4.1e15,"d":"\\","e":"%","f":"&amp;"}"#,
            #"{"a":"411111111111111","b":"4111111111111112","c":4.1e15,"d":"\\","e":"%","f":"&amp;"}"#
        ),
        ("", ""), ("{", "{"), ("4111111111111111", "\"ALIAS\""), (#"{"a":"4111"#, #"{"a":"4111"#),
    ])
    func json(text: String, expected: String) throws {
        #expect(try scrub(text, .json) == expected.replacingAlias())
    }

    /// JSON in a URL, HTML in JSON and in a URL, JSON in HTML, JSON in JSON.
    @Test(arguments: [
        ("n=Zo%5Cu00eb%20O%5C%22Neil%2FSons&c=1", "n=tok_sandbox_Name&c=1"),
        ("n=Zo%C3%AB%20O%5C%22Neil%5C%2FSons", "n=tok_sandbox_Name"), ("a%5Cn321%5Cn09", "a%5CnCVC%5Cn09"),
        ("%5Cu0034%5cu0031%5Cu0031%5Cu00311111 1111 1111", "ALIAS"), ("%26%2352%3B111111111111111", "ALIAS"),
        (#"4111\u0026nbsp;1111\u00A01111%C2%A01111"#, "ALIAS"), ("4111%E2%80%911111-1111%20-1111", "ALIAS"),
        (#"Zo\u0026euml; O\u0026#34;Neil/Sons"#, "tok_sandbox_Name"),
        (#"Zo&euml; O\&quot;Neil/Sons"#, "tok_sandbox_Name"),
        // A plus of a form is a space, also where JSON, HTML or a URL escapes it.
        (#"name=Zoë\u002bO%22Neil%2FSons"#, "name=tok_sandbox_Name"), ("Ann&#43;Li", "tok_sandbox_Ann"),
        (#"Ann\u002BLi Ann%2BLi"#, "tok_sandbox_Ann tok_sandbox_Ann"),
        ("r=c%253D321%2526d", "r=c%253DCVC%2526d"), ("a%2520321 a%25253D321", "a%2520CVC a%25253DCVC"),
        // Kinds around each other, more than once: JSON twice in a URL, HTML twice in a URL, HTML in a URL twice, a URL in JSON in HTML.
        ("%5C%5Cu0034111111111111111", "ALIAS"), ("%26amp%3B%2352%3B111111111111111", "ALIAS"),
        ("%2526%252352%253B111111111111111", "ALIAS"), ("&#92;u002534111111111111111", "ALIAS"),
        ("n=Zo%5C%5Cu00eb%20O%5C%5C%5C%22Neil%2FSons&c=1", "n=tok_sandbox_Name&c=1"),
        ("4\u{205F}111111111111111", "ALIAS"), ("4\u{3000}111111111111111", "ALIAS"),
        ("4111&ensp;1111\u{2003}1111%E3%80%801111", "ALIAS"), ("4111\u{3000}1111\u{205F}1111\\u20011111", "ALIAS"),
        ("a%2525253D321 %255Cu003d321", "a%2525253DCVC %255Cu003dCVC"),
        (#"\u0025341111111111 11111"#, "ALIAS"), (#"100\u002541\u0026x"#, "tok_sandbox_Odd"),
        // JavaScript, and what is written like it.
        (#"{'n': 'Jürgen O\'Brien-Smith'}"#, "{'n': 'tok_sandbox_Brien'}"),
        (#"J\xfcrgen O\x27Brien-Smith"#, "tok_sandbox_Brien"),
        (#"\x34\x31\x3111111111111%5Cx31%5cx31"#, "ALIAS"),
        // By those who escape every character, twice.
        ("%25%33%34%25%33%31%25%33%31%25%33%311111 1111 1111", "ALIAS"),
        (#"\u005cu0034\u005cu0031\u005cu0031\u005cu00311111 1111 1111"#, "ALIAS"),
        ("&amp;&#35;52&#59;&amp;#49&#59;&#38;#x31;11111111 11111", "ALIAS"),
    ])
    func mixed(text: String, expected: String) throws {
        #expect(try scrub(text, .plain) == expected.replacingAlias())
    }

    /// The trie holds the first 64 bytes of a value, and no part of a character.
    @Test(arguments: 58...66)
    func lettersAtTheBorder(count: Int) throws {
        for letter in ["é", "漢", "😀"] {
            let value = String(repeating: "a", count: count) + letter + String(repeating: "b", count: 8)
            let escaped = letter.utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
            for written in [value, value.replacing(letter, with: escaped)] {
                #expect(try scrub("{\"a\":\"\(written)\"}", .json, pairs: [(value, "ALIAS")]) == #"{"a":"ALIAS"}"#)
            }
        }
    }

    /// Values that are written like what JSON has for something else.
    @Test func literalsAndZeros() throws {
        let pairs = [("null", "Null"), ("true", "True"), ("000", "Zero"), ("001", "One"), ("0000000123", "Account")]
        let text = #"{"a":null,"b":true,"c":0,"d":1,"e":123,"f":"null","g":"001","h":"no 000123 0000000123"}"#
        let expected = #"{"a":null,"b":true,"c":0,"d":1,"e":123,"f":"Null","g":"One","h":"no 000123 Account"}"#
        #expect(try scrub(text, .json, pairs: pairs) == expected)
    }

    /// Values of up to eight digits with spaces or hyphens, and values with zeros in front as numbers.
    @Test(arguments: [
        ("J Smith", #"{"a":"J+Smith"}"#, #"{"a":"ALIAS"}"#),
        ("J ", #"{"a":"J ","b":"J+"}"#, #"{"a":"ALIAS","b":"ALIAS"}"#),
        (
            "1234    5678 9012", #"{"a":"1234    5678 9012","b":"123456789012","c":"1234-5678-9012"}"#,
            #"{"a":"ALIAS","b":"ALIAS","c":"ALIAS"}"#
        ),
        ("1234    5678 9012", #"{"a":123456789012}"#, #"{"a":"ALIAS"}"#),
        ("12345678", #"{"a":"1234 5678"}"#, #"{"a":"ALIAS"}"#), ("12345678", #"{"a":"a-1234-5678"}"#, nil),
        ("1234 5678", #"{"a":"12345678","b":12345678}"#, #"{"a":"ALIAS","b":"ALIAS"}"#),
        ("+49 170 1234567", #"{"a":"+491701234567","b":"+49-170-1234-567"}"#, #"{"a":"ALIAS","b":"ALIAS"}"#),
        ("+491701234567", #"{"a":"+49 170 1234567"}"#, #"{"a":"ALIAS"}"#),
        ("(030) 12345678", #"{"a":"(030)12345678"}"#, #"{"a":"ALIAS"}"#),
        ("ä1b2c3d4e", #"{"a":"ä1 b2 c3 d4 e","b":"\u00e41b2-c3d4e"}"#, #"{"a":"ALIAS","b":"ALIAS"}"#),
        ("12-34-56", #"{"a":"sort code 123456"}"#, #"{"a":"sort code ALIAS"}"#),
        ("123456", #"{"a":"12-34-56","b":"12-34-567"}"#, #"{"a":"ALIAS","b":"12-34-567"}"#),
        ("123456", #"{"a":"12-34-56.7"}"#, nil), ("20301", #"{"a":"20-301"}"#, nil),
        ("2030", #"{"a":"20-30"}"#, nil), ("1990-01-15", #"{"a":"19900115 1990-01-15"}"#, #"{"a":"ALIAS ALIAS"}"#),
        ("021000021", #"{"a":21000021,"b":2100002}"#, #"{"a":"ALIAS","b":2100002}"#),
        ("0000123456789", #"{"a":1.23456789e8}"#, #"{"a":"ALIAS"}"#),
        ("00123", #"{"a":123,"b":1230,"c":"123"}"#, #"{"a":"ALIAS","b":1230,"c":"123"}"#),
        ("000123456", #"{"a":123456,"b":"123456"}"#, #"{"a":"ALIAS","b":"123456"}"#),
        (
            "12", #"{"a":12,"b":12.0,"c":1.2e1,"d":-12,"e":"12"}"#,
            #"{"a":"ALIAS","b":"ALIAS","c":"ALIAS","d":-12,"e":"ALIAS"}"#
        ),
        ("5", #"{"a":5.0,"b":50e-1,"c":55,"d":0.5,"e":"5.0"}"#, #"{"a":"ALIAS","b":"ALIAS","c":55,"d":0.5,"e":"5.0"}"#),
        ("05", #"{"a":5,"b":5.0}"#, nil), ("000012345", #"{"a":12345}"#, nil), ("012", #"{"a":12}"#, nil),
        ("000000000", #"{"a":0}"#, nil),
    ])
    func groupsOfFewDigitsAndZerosInFront(value: String, text: String, expected: String?) throws {
        #expect(try scrub(text, .json, pairs: [(value, "ALIAS")]) == expected ?? text)
    }

    /// What stands beside a colon is a word, but for times, addresses with ports, and places in files.
    @Test(arguments: [
        ("321", "4539600166594134:321", true), ("321", "09/31:321", true), ("321", "5:321", true),
        ("321", "12:321", true), ("321", "321:09/31", true), ("321", "321:12", true), ("321", "1234:321.", true),
        ("321", "4539600166594134:09:31:321", true), ("321", "09.31:321", true), ("321", "321:09:31", true),
        ("443", "10.0.0.1:443", false), ("443", "a 192.168.100.200:443 b", false), ("443", "1.10.0.1.2:443", false),
        ("443", "10.0.0:443", true), ("443", ".0.0.1:443", true), ("443", "1000.0.0.1:443", true),
        ("2031", "2031:12:01 10:15", false), ("2031", "2031:12", true), ("321", ":321", true), ("321", "321:", true),
    ])
    func colons(value: String, text: String, isFound: Bool) throws {
        let expected = isFound ? text.replacing(value, with: "ALIAS") : text
        #expect(try scrub("{\"a\":\"\(text)\"}", .json, pairs: [(value, "ALIAS")]) == "{\"a\":\"\(expected)\"}")
        #expect(try scrub(text, .plain, pairs: [(value, "ALIAS")]) == expected)
    }

    /// A run of signs could be read in exponentially many ways: each of them as one, or two of them as one.
    @Test(arguments: [
        ("\\", "\\"), ("\\", "%5C"), ("\\", "&#92;"), ("\\", "%5C%5C"), ("\\", "\\u005c"), ("%", "%25"),
        ("%", "%25%32%35"),
        ("&", "&amp;"), ("&", "&#38;"),
    ])
    func runsOfSigns(sign: String, written: String) throws {
        let value = String(repeating: sign, count: 30) + "x"
        let run = String(repeating: written, count: 34)
        #expect(try scrub("<\(run)y>", .plain, pairs: [(value, "ALIAS")]) == "<\(run)y>")
        let found = String(repeating: written, count: 30) + "x"
        #expect(try scrub("<\(found)>", .plain, pairs: [(value, "ALIAS")]) == "<ALIAS>")
    }

    /// Backslashes that were escaped several times, in front of a letter that could be escaped.
    @Test func backslashesInBackslashes() throws {
        for own in 1...2 {
            let written = { (count: Int) in "CORP" + String(repeating: "\\", count: count) + "nancy12345" }
            for levels in 0...4 where own << levels <= 16 {
                let text = "<\(written(own << levels))>"
                #expect(try scrub(text, .plain, pairs: [(written(own), "ALIAS")]) == "<ALIAS>", "\(own), \(levels)")
            }
        }
    }

    @Test(arguments: [
        ("card=4111111111111111&x=1", "card=ALIAS&x=1"),
        ("card=4111+1111+1111+1111", "card=ALIAS"),
        ("card=4111%201111%2D1111%2d1111&", "card=ALIAS&"),
        ("%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31=", "ALIAS="),
        ("m=09&y=2031&c=321&n=Ann+Li", "m=MONTH&y=tok_sandbox_Year&c=CVC&n=tok_sandbox_Ann"),
        ("n=Zo%C3%AB+O%22Neil%2FSons", "n=tok_sandbox_Name"), ("m=109&09=", "m=109&MONTH="),
    ])
    func form(text: String, expected: String) throws {
        #expect(try scrub(text, .form) == expected.replacingAlias())
    }

    @Test(arguments: [
        ("<p>4111 1111 1111 1111</p><i>09</i>", "<p>ALIAS</p><i>MONTH</i>"),
        ("<p class='09'>9 &#52;&#49;11111111111111&nbsp;</p>", "<p class='MONTH'>9 ALIAS&nbsp;</p>"),
        ("<n>Zo&#xEB; O&quot;Neil/Sons</n>", "<n>tok_sandbox_Name</n>"),
        ("<p>&amp;amp;amp;#52;&#38;#x31;11111111111111</p>", "<p>ALIAS</p>"),
        ("<p>\n  09\t</p>\r\n<p> 09 or 09</p>", "<p>\n  MONTH\t</p>\r\n<p> 09 or 09</p>"),
        ("<a><![CDATA[09]]></a><b>[09] 09]]</b>", "<a><![CDATA[MONTH]]></a><b>[09] 09]]</b>"),
        (
            "<pre>a\n09\r\n09 b\n\(String(repeating: " ", count: 17))09\n",
            "<pre>a\nMONTH\r\n09 b\n\(String(repeating: " ", count: 17))09\n"
        ),
        // Names of HTML 4, also escaped again; a name that nothing has stays.
        ("<n>Zo&euml; O&quot;Neil/Sons</n>", "<n>tok_sandbox_Name</n>"),
        ("<n>Zo&amp;euml; O&amp;quot;Neil/Sons</n>", "<n>tok_sandbox_Name</n>"),
        ("<n>Zo&Euml; O&quot;Neil/Sons &thetasymbol;</n>", "<n>Zo&Euml; O&quot;Neil/Sons &thetasymbol;</n>"),
    ])
    func markup(text: String, expected: String) throws {
        #expect(try scrub(text, .markup) == expected.replacingAlias())
    }

    @Test(arguments: [
        ("/x?card=4111111111111111", "/x?card=ALIAS"), ("09", "MONTH"), ("max-age=09", "max-age=09"),
        ("a=321; b", "a=CVC; b"), ("Zo%C3%AB%20O%22Neil%2FSons", "tok_sandbox_Name"),
    ])
    func header(text: String, expected: String) throws {
        #expect(try scrub(text, .header) == expected.replacingAlias())
    }

    @Test(arguments: [
        ("pan,cvc\n4111111111111111,321\n09\n", "pan,cvc\nALIAS,CVC\nMONTH\n"),
        ("4.111111111111111e15.", "ALIAS."), ("note4.111111111111111e15", "noteALIAS"),
        ("XX4111111111111111XX", "XXALIASXX"), ("1411111111111111111", "1ALIAS11"), ("09", "MONTH"),
    ])
    func plain(text: String, expected: String) throws {
        #expect(try scrub(text, .plain) == expected.replacingAlias())
    }

    /// An alias may have a blank where its value has one.
    @Test func aliasesAreEscaped() throws {
        let pairs = [("219\n09\n9999", "791\n31\n9999"), ("user:4111", "dXNl+/=")]
        #expect(try scrub(#"{"a":"219\n09\n9999"}"#, .json, pairs: pairs) == #"{"a":"791\u000A31\u000A9999"}"#)
        #expect(try scrub("a=219%0A09%0A9999", .form, pairs: pairs) == "a=791%0A31%0A9999")
        #expect(try scrub("a=user%3A4111", .form, pairs: pairs) == "a=dXNl%2B%2F%3D")
        #expect(try scrub("user:4111", .plain, pairs: pairs) == "dXNl+/=")
    }

    /// An escaped quote is looked at where its escape begins: there the value is part of a word.
    @Test func aShortValueThatBeginsWithAQuote() throws {
        let pairs = [(#""ab"#, "tok_sandbox_Quoted"), (Self.card, Self.alias)]
        let text = #"{"a":"zzzzzzzzzzzzx\"ab 4111111111111111, \"ab"}"#
        let scrubbed = try scrub(text, .json, pairs: pairs)
        #expect(scrubbed == #"{"a":"zzzzzzzzzzzzx\"ab \#(Self.alias), tok_sandbox_Quoted"}"#)
    }

    @Test func longValues() throws {
        let value = String(repeating: "Lorem ipsum \"dolor\" sit/amet, ", count: 40)
        let escaped = value.replacing("\"", with: "\\\"").replacing("/", with: "\\/")
        let pairs = [(value, "tok_sandbox_Long")]
        #expect(try scrub(#"{"a":"\#(escaped)."}"#, .json, pairs: pairs) == #"{"a":"tok_sandbox_Long."}"#)
        #expect(try scrub("<\(value)>", .plain, pairs: pairs) == "<tok_sandbox_Long>")
        let encoded = escaped.utf8.map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        #expect(try scrub("a=\(encoded)&", .form, pairs: [(escaped, "tok")]) == "a=tok&")
    }

    @Test(arguments: ["\u{0}", "PNG\u{1}", "\u{1f}\u{8b}"])
    func whatIsNoTextIsRefused(text: String) {
        #expect(throws: ResponseScrubber.Unreadable.notText) { try scrub("{\"a\":\"\(text)\"}", .plain) }
    }

    @Test func numbersHaveALimit() throws {
        let zeros = String(repeating: "0", count: 2_000)
        #expect(throws: ResponseScrubber.Unreadable.numberTooLong) {
            try scrub("[4.111111111111111\(zeros)e15]", .json)
        }
        #expect(try scrub("4\(zeros)", .plain) == "4\(zeros)")
    }
}

extension String {
    fileprivate func replacingAlias() -> String {
        replacing("ALIAS", with: "tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN").replacing("CVC", with: "tok_sandbox_Cvc")
            .replacing("MONTH", with: "tok_sandbox_Month")
    }
}
