import HTTPWire
import Testing

/// Limits are exact to the byte, whether the bytes come at once or not.
struct HeadLimitTests {
    private static let limits = HeadLimits(startLineBytes: 40, headerBytes: 60, headerCount: 3)

    private func verdict(_ text: String, _ delivery: Delivery) -> RequestStream.Event? {
        RequestStream.read(latin1(text), delivery, limits: HeadLimitTests.limits).first
    }

    private func isRequest(_ event: RequestStream.Event?) -> Bool {
        if case .request = event { true } else { false }
    }

    @Test(arguments: Delivery.allCases)
    func requestLine(_ delivery: Delivery) {
        // "GET /… HTTP/1.1" is 14 bytes plus the rest of the path; the CRLF is not part of the limit.
        let fits = "/" + String(repeating: "a", count: 26)
        #expect(isRequest(verdict("GET \(fits) HTTP/1.1\r\nHost: a\r\n\r\n", delivery)))
        #expect(isRequest(verdict("\r\n\r\nGET \(fits) HTTP/1.1\r\nHost: a\r\n\r\n", delivery)))
        #expect(verdict("GET \(fits)a HTTP/1.1\r\nHost: a\r\n\r\n", delivery) == .refused(.requestLineTooLong))
        let endless = String(repeating: "a", count: 42)
        #expect(verdict(endless, delivery) == .refused(.requestLineTooLong))
        #expect(verdict(String(endless.dropLast()), delivery) == .unfinished)
        #expect(verdict(endless + "\u{0}", delivery) == .refused(.requestLineTooLong))
        #expect(verdict(endless.dropLast() + "\u{0}", delivery) == .refused(.controlCharacter))
    }

    @Test(arguments: Delivery.allCases)
    func headerBytes(_ delivery: Delivery) {
        // "Host: a\r\n", "X: …\r\n" and the empty line are 16 bytes plus the value of X.
        let fits = String(repeating: "x", count: 44)
        #expect(isRequest(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: \(fits)\r\n\r\n", delivery)))
        #expect(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: \(fits)x\r\n\r\n", delivery) == .refused(.headersTooLarge))
        #expect(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: \(fits)xxxxxxx", delivery) == .refused(.headersTooLarge))
    }

    @Test(arguments: Delivery.allCases)
    func headerCount(_ delivery: Delivery) {
        #expect(isRequest(verdict("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\n\r\n", delivery)))
        #expect(
            verdict("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\nX: 3\r\n\r\n", delivery) == .refused(.tooManyHeaders))
    }

    @Test func theUsualLimits() {
        let limits = HeadLimits()
        #expect(limits.startLineBytes == 8192)
        #expect(limits.headerBytes == 32768)
        #expect(limits.headerCount == 100)
    }

    @Test func absurdLimitsAreBroughtIntoBounds() {
        let small = HeadLimits(startLineBytes: -1, headerBytes: 0, headerCount: -5)
        #expect(small == HeadLimits(startLineBytes: 16, headerBytes: 16, headerCount: 1))
        let large = HeadLimits(startLineBytes: .max, headerBytes: .max, headerCount: .max)
        #expect(large == HeadLimits(startLineBytes: 1 << 24, headerBytes: 1 << 24, headerCount: 1 << 16))
    }
}
