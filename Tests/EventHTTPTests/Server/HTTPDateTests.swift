import Testing

@testable import EventHTTP

@Suite struct HTTPDateTests {
    /// The first is the example of RFC 9110 section 5.6.7.
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func isAnIMFFixdate(second: Int, text: String) {
        #expect(HTTPDate.text(second) == text)
    }
}
