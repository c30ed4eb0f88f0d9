import Testing

@testable import Crypto

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648, section 10, with and without padding.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zg=", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
    ])
    func decoding(text: String, decoded: String) {
        #expect(Base64.decode(text) == Array(decoded.utf8))
        #expect(Base64.decode(text, .url) == Array(decoded.utf8))
    }

    @Test(arguments: [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")])
    func encoding(text: String, decoded: String) {
        #expect(Base64.encode(Array(decoded.utf8)) == text)
        #expect(Base64.encode(Array(decoded.utf8), .url) == text.filter { $0 != "=" })
    }

    @Test func alphabets() {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=" && Base64.encode([0xfb, 0xff], .url) == "-_8")
        #expect(Base64.decode("+/8=") == [0xfb, 0xff] && Base64.decode("-_8", .url) == [0xfb, 0xff])
        #expect(Base64.decode("-_8") == nil && Base64.decode("+/8", .url) == nil)
    }

    /// Bits behind the last whole byte are not looked at.
    @Test func restOfTheLastDigit() {
        #expect(Base64.decode("Zh==") == Array("f".utf8))
    }

    @Test(arguments: ["A", "Zg===", "Z*==", "Zm9v\n", "Zm 9v", "Zm9-", "Z=g=", "=", "===="])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
