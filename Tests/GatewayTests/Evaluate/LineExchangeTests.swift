import FileTesting
import Glibc
import Testing

@testable import Gateway

/// Lines that are too long are answered once, and what follows them is a line again.
@Suite struct LineExchangeTests {
    /// What comes out when `input` goes in, with a line of eight bytes the longest. A line is answered by itself, one that
    /// is too long by its limit.
    private func exchange(_ input: String) throws -> String {
        let folder = try TemporaryFolder(["input": input])
        let asked = open(folder.path + "/input", O_RDONLY)
        defer { close(asked) }
        var answered: [Int32] = [0, 0]
        try #require(asked >= 0 && pipe(&answered) == 0)
        try LineExchange(input: asked, output: answered[1], limit: 8).run { line in
            switch line {
            case .whole(let bytes): Array("<".utf8) + bytes + Array(">".utf8)
            case .tooLong(let limit): Array("more than \(limit)".utf8)
            }
        }
        close(answered[1])
        defer { close(answered[0]) }
        var output = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(answered[0], &output, output.count)
        return String(decoding: output.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("a\nb", "<a>\n<b>\n"), ("\n\n", "<>\n<>\n"), ("12345678\n", "<12345678>\n"),
        ("123456789\n", "more than 8\n"), ("123456789", "more than 8\n"),
        ("123456789\na\n", "more than 8\n<a>\n"), ("a\n123456789\n\n123456789", "<a>\nmore than 8\n<>\nmore than 8\n"),
    ])
    func everyLineHasOneAnswer(_ input: String, _ output: String) throws {
        #expect(try exchange(input) == output)
    }

    /// Longer than what is read at once, so that its end comes alone and would fit.
    @Test(arguments: [(1 << 16) - 1, 1 << 16, (1 << 16) + 3, 5 << 16 + 1])
    func theRestOfALongLineIsNoLine(_ length: Int) throws {
        let long = String(repeating: "x", count: length)
        #expect(try exchange(long + "\nb") == "more than 8\n<b>\n")
        #expect(try exchange("b\n" + long) == "<b>\nmore than 8\n")
    }
}
