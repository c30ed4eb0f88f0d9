import Testing

@testable import HTTPWire

/// The sets are written as numbers; here they are compared with the characters of the standards.
struct ByteSetTests {
    private static let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let unreserved = alphanumeric + "-._~"
    private static let name = unreserved + "!$&'()*+,;="

    @Test(arguments: [
        (ByteSet.token, alphanumeric + "!#$%&'*+-.^_`|~"),
        (ByteSet.unreserved, unreserved),
        (ByteSet.registeredName, name),
        (ByteSet.pathSegment, name + ":@"),
        (ByteSet.path, name + ":@/[]|"),
        (ByteSet.query, name + ":@/?[]{}|\\^`"),
        (ByteSet.queryComponent, unreserved + "!$'()*,:@/?"),
    ])
    func holdsItsCharacters(_ set: ByteSet, _ characters: String) {
        for byte in UInt8.min...UInt8.max {
            #expect(set.contains(byte) == characters.utf8.contains(byte), "\(byte)")
        }
    }

    /// Every byte at every position of a line of up to three words: the word-wise and the byte-wise path agree.
    @Test func fieldTextIsFoundToEndAtTheSamePlace() {
        for length in 0...24 {
            for place in 0..<length {
                for byte in UInt8.min...UInt8.max {
                    var line = [UInt8](repeating: 0x80, count: length)
                    line[place] = byte
                    let refused = byte < 0x20 && byte != 9 || byte == 0x7F
                    #expect(line.span.endOfFieldText(0..<length) == (refused ? place : length))
                }
            }
        }
    }
}
