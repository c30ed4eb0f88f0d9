import Testing

@testable import JSON

/// Bytes are looked at eight at a time: every length, start and place of a byte that ends the run, beside the plain loop.
@Suite struct PlainTextTests {
    @Test(arguments: [UInt8](0...0xFF))
    func endsWhereTheLoopDoes(_ byte: UInt8) {
        for count in 0...26 {
            for place in 0...count {
                for filler: UInt8 in [0x20, 0x61, 0x7F, 0x80, 0xFF, 0x21, 0x23, 0x5B, 0x5D] {
                    var bytes = [UInt8](repeating: filler, count: count)
                    if place < count { bytes[place] = byte }
                    // What ends a run may follow at once, where a borrow could hide it.
                    if place + 1 < count { bytes[place + 1] = UInt8(ascii: "\"") }
                    for start in [0, place / 2, place] {
                        let found = bytes.span.plainText(from: start)
                        let expected = bytes[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? count
                        let isASCII = bytes[start..<expected].allSatisfy { $0 < 0x80 }
                        // An expectation each would take longer than all of the rest.
                        if found.end != expected || found.isASCII != isASCII {
                            Issue.record("\(bytes) from \(start): \(found)")
                        }
                    }
                }
            }
        }
    }
}
