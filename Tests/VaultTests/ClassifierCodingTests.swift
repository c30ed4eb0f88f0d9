import Testing

@testable import Vault

@Suite("Classifiers as bytes")
struct ClassifierCodingTests {
    @Test(arguments: [[], [""], ["a"], ["a", "", "\u{1F600}", String(repeating: "x", count: 300)]])
    func roundTrip(classifiers: [String]) {
        #expect(ClassifierCoding.decode(ClassifierCoding.encode(classifiers)) == classifiers)
    }

    @Test(arguments: [[0], [0, 0, 0, 2, 0x61], [0xff, 0xff, 0xff, 0xff], [0, 0, 0, 1, 0x61, 9]])
    func cutShort(bytes: [UInt8]) {
        #expect(ClassifierCoding.decode(bytes) == nil)
    }
}
