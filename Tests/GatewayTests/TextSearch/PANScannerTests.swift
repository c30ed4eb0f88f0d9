import Testing

@testable import Gateway

/// Card numbers by their shape (`docs/reference/proxy.md` section 10).
@Suite struct PANScannerTests {
    /// What is found, as digits, split anywhere.
    private func finds(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        let whole = finds(bytes, pieces: [bytes.count])
        for size in [1, 2, 3, 5, 16] {
            let pieces = [Int](repeating: size, count: bytes.count / size) + [bytes.count % size]
            #expect(finds(bytes, pieces: pieces) == whole, "by \(size): \(text)")
        }
        return whole
    }

    private func finds(_ bytes: [UInt8], pieces: [Int]) -> [String] {
        var finds: [String] = []
        var available = 0
        var position = 0
        for (index, piece) in pieces.enumerated() {
            available += piece
            let isWhole = index == pieces.count - 1
            let text = bytes.span.extracting(0..<available)
            while case .find(let find) = PANScanner.next(text, from: position, isWhole: isWhole) {
                finds.append(String(decoding: find.digits, as: UTF8.self))
                position = find.range.upperBound
            }
            if case .nothing(let end) = PANScanner.next(text, from: position, isWhole: isWhole) { position = end }
        }
        return finds
    }

    /// Numbers that the brands publish for tests, one of each length and of most brands.
    @Test(arguments: [
        "4111111111111111", "4012888888881881", "5555555555554444", "2223003122003222", "378282246310005",
        "6011111111111117", "30569309025904", "3530111333300000", "6304000000000000", "4222222222222",
        "6200000000000005", "5019717010103742", "5066991111111118", "6062826786276634",
    ])
    func cards(number: String) {
        let fours = grouped(number, by: [4, 4, 4, 4, 4], " ")
        for text in [
            number, "card \(number).", "\"\(number)\"", "{\"a\":\(number),\"b\":1}", "a=\(number)&b", "(\(number))",
            fours,
            fours.replacing(" ", with: "-"), "x: \(fours), y", "1 \(fours)", "\(number) 12/31 321", "\(number)-321",
            "card-\(number)", "/\(number)/", "#\(number)\n", "%20\(number)%20", "a\\n\(number)\\n", "a+\(number)",
            "%\(number)",
            "100%\(number)", "\\\(number)", fours.replacing(" ", with: "+"), fours.replacing(" ", with: "%20"),
            fours.replacing(" ", with: "\u{a0}"), fours.replacing(" ", with: "&nbsp;"), "\(number).", "\(number).0",
            "\(number).00,",
            fours.replacing(" ", with: "\\u00a0"), "\\u0020\(number)",
        ] {
            #expect(finds(text) == [number], "\(text)")
        }
        let (first, rest, last) = (String(number.prefix(1)), String(number.dropFirst()), String(number.suffix(1)))
        var escapes = [
            "%3\(first)\(rest)", "\\\\u003\(first)\(rest)", "%253\(first)\(rest)", "\(number.dropLast())\\u003\(last)",
        ]
        escapes.append(number.utf8.map { "\\u00" + String($0, radix: 16) }.joined())
        escapes.append(number.utf8.map { "%" + String($0, radix: 16) }.joined())
        escapes.append(number.utf8.map { "&#\($0);" }.joined())
        escapes.append(number.utf8.map { "&amp;#\($0);" }.joined())
        // Every character escaped twice.
        escapes.append(number.utf8.map { "%25%33%3\($0 & 0xF)" }.joined())
        escapes.append(number.utf8.map { "\\u005cu003\($0 & 0xF)" }.joined())
        escapes.append(number.utf8.map { "&amp;&#35;\($0)&#59;" }.joined())
        for escape in escapes {
            #expect(finds(escape) == [number] && finds("\"\(escape)\"") == [number], "\(escape)")
        }
        let power = "\(first).\(rest)e\(rest.count)"
        #expect(finds(power) == [number] && finds("[\(power.uppercased())]") == [number])
        #expect(finds("\(first).\(rest)E+\(rest.count),") == [number])
    }

    private func grouped(_ number: String, by sizes: [Int], _ separator: String) -> String {
        var rest = number[...]
        return sizes.compactMap { size in
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : String(rest.prefix(size))
        }.joined(separator: separator)
    }

    @Test(arguments: [
        ("3782 822463 10005", ["378282246310005"]), ("3056-930902-5904", ["30569309025904"]),
        ("4111111111111111 5555555555554444", ["4111111111111111", "5555555555554444"]),
        ("4111 1111 1111 1111 5555 5555 5555 4444", ["4111111111111111", "5555555555554444"]),
        (
            "4111 1111 1111 1111 5555 5555 5555 4444 4012 8888 8888 1881",
            ["4111111111111111", "5555555555554444", "4012888888881881"]
        ),
        ("2031 4111 1111 1111 1111", ["4111111111111111"]), ("4111 1111 1111 1111 2031", ["4111111111111111"]),
        // Between words, and beside one group of a table.
        ("see card 4111 1111 1111 1111 soon.", ["4111111111111111"]),
        ("face 4111 1111 1111 1111 cafe", ["4111111111111111"]),
        ("Visa 4111 1111 1111 1111 2030", ["4111111111111111"]),
        ("2030 4111 1111 1111 1111 Visa", ["4111111111111111"]),
        ("/card-4111-1111-1111-1111-visa", ["4111111111111111"]), ("card 3782 822463 10005 amex", ["378282246310005"]),
        (
            "Visa 4111 1111 1111 1111 4242 4242 4242 4242 Visa", ["4111111111111111", "4242424242424242"]
        ),
        // The longest.
        ("4111 1111 1111 1111 110", ["4111111111111111110"]),
        ("+378282246310005", []), ("a+378282246310005", ["378282246310005"]),
        ("+4111111111111111", ["4111111111111111"]),
        // A telephone number has no more than 15 digits, and no more than three of its country.
        ("5018 2222 3332", ["501822223332"]), ("+49 5018 2222 3332", []), ("x +491 5018 2222 3332", []),
        ("+4912 5018 2222 3332", ["501822223332"]), ("a+49 5018 2222 3332", ["501822223332"]),
        ("+ 5018 2222 3332", ["501822223332"]), ("49 5018 2222 3332", ["501822223332"]),
        ("+1 4111 1111 1111 1111", ["4111111111111111"]), ("+1 3782 822463 10005", ["378282246310005"]),
    ])
    func groups(text: String, numbers: [String]) { #expect(finds(text) == numbers) }

    @Test(arguments: [
        // Not the shape; the checksum is right, the length is that of another brand.
        "4111111111111112", "411111111111111", "411111111111116", "55555555555553", "3782822463100003",
        "1111111111111117", "9111111111111111", "0000000000000000",
        "41111111111111111",
        // Part of something longer.
        "94111111111111111", "41111111111111110", "x4111111111111111", "4111111111111111x", "_4111111111111111",
        "4111111111111111_", "0.4111111111111111", "4111111111111111.5", "4111111111111111.01",
        "12-4111111111111111", "a1-4111111111111111", "4111 1111 1111 11119", "44111 1111 1111 1111",
        // Two kinds of separators, two separators, other groups.
        "4111-1111 1111-1111", "4111  1111  1111  1111", "4111.1111.1111.1111", "41 11 11 11 11 11 11 11",
        "411111 1111111111",
        // A table; numbers of accounts.
        "5409 5410 5411 5412 5413 5414 5415 5416 5417 5418 5419", "1234 4111 1111 1111 1111 5678",
        "4F3a 4111 1111 1111 1111 cdE0", "DE12 5105 1051 0510 5100 00",
        // Other things that are written in digits.
        "DE89 4111 1111 1111 1111 00", "2026-11-22T21:48:19.123456789Z", "1795383600000", "1795383600000000",
        "978-3-16-148410-0",
        "9783161484100", "192.168.100.100", "+49 171 1234567", "00000000-0000-4000-8000-411111111111", "20261122214819",
        "550e8400-e29b-41d4-a716-446655440000", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "3.14159265358979323846", "1e400", "4e15", "-4.1e15", "123456789012345678901234567890", "4%20", "4\\u0020", "%",
        "\\", "",
    ])
    func others(text: String) { #expect(finds(text).isEmpty) }
}
