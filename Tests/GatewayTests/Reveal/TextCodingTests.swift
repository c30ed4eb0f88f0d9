import Testing

@testable import Gateway

@Suite struct TextCodingTests {
    @Test(arguments: [
        ("text/plain;charset=utf-7", false), ("text/plain; charset = utf-7", false),
        ("text/plain ;\tCharset\t=\t\"UTF-7\" ; a=b", false), ("text/plain; charset = utf-8", true),
        ("text/plain; charset = us-ascii ", true), ("text/html ; a = \"b\"", true),
    ])
    func blanksAroundACharsetHideNothing(type: String, isKnown: Bool) {
        #expect((BodyText.kind(ofType: type)?.isASCIIAlone == false) == isKnown)
    }

    private static let names: [(String, TextCoding?)] = [
        ("utf-8", .utf8), ("\"us-ascii\"", .utf8), ("iso-8859-15", .holdsASCII), ("gbk", .holdsASCII),
        ("koi8-r", .holdsASCII), ("iso-2022-jp", .holdsASCII), ("cp1252", .holdsASCII), ("ibm866", .holdsASCII),
        ("unheard-of", .holdsASCII), ("utf-16le", nil), ("utf-32", nil), ("iso-10646-ucs-2", nil), ("utf-7", nil),
        ("ibm037", nil), ("cp500", nil), ("ibm-1047", nil), ("ebcdic-us", nil),
    ]

    @Test(arguments: names)
    func charsets(name: String, coding: TextCoding?) {
        #expect(TextCoding(charset: name[...]) == coding)
    }

    private static let texts: [(String, Bool)] = [
        ("", true), ("a", true), ("{\"a\":1}", true), ("<", true), ("<?xm", true),
        ("<?xml version=\"1.0\"?><a/>", true),
        ("<?xml encoding=\"utf-16\"?><a/>", true), ("<?xml encoding=\"Utf-7\"?><a/>", false),
        ("Lo\u{A7}\u{94}x", false),
        ("Lo\u{A7}", true), ("<?xml " + String(repeating: " ", count: 600), true),
    ]

    @Test(
        arguments: [
            ([], true), ([0x41], true), ([0xC3, 0xAB], true), ([0xE2, 0x80, 0x91, 0x31], true),
            ([0xF0, 0x9F, 0x98, 0x80], true), ([0xEB], false), ([0x41, 0xEB, 0x20], false), ([0xC3], false),
            ([0xE2, 0x80], false), ([0xE2, 0x80, 0x31], false), ([0xC0, 0x80], false), ([0xED, 0xA0, 0x80], false),
        ] as [([UInt8], Bool)])
    func pieces(bytes: [UInt8], isValid: Bool) {
        for size in [1, 2, 3, 5] {
            var pieces = UTF8Pieces()
            var areValid = true
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                areValid = areValid && pieces.areValid(with: piece, isLast: start + size >= bytes.count)
            }
            #expect(areValid == isValid, "by \(size)")
        }
    }

    /// Whatever the pieces: the text as a whole, or nothing of it.
    @Test(arguments: texts)
    func beginnings(text: String, isReadable: Bool) {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        for size in [1, 2, 3, 5, 1_000] {
            var (beginning, passed, isForeign) = (TextBeginning(), [UInt8](), false)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                if let known = beginning.pass(piece, isLast: false) { passed += known } else { isForeign = true }
                if isForeign { break }
            }
            if !isForeign, let known = beginning.pass([], isLast: true) { passed += known } else { isForeign = true }
            #expect(isForeign == !isReadable && passed == (isReadable ? bytes : []), "by \(size)")
        }
    }
}
