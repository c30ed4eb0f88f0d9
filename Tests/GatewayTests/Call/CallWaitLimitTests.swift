import EventHTTP
import EventIO
import HTTPWire
import Testing
import Vault

@testable import Access
@testable import EventHTTP
@testable import Gateway

@Suite struct CallWaitLimitTests {
    private func call(waited: Int64, maxWait: Duration?) throws -> Call {
        var parser = RequestHeadParser()
        let head = try #require(try parser.parse(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8).span))
        let request = ServerRequest(
            head: head, body: [], loop: try EventLoop(), remoteBits: (0, 0xFFFF_7F00_0001),
            isSecure: false, waited: waited, maxWait: maxWait)
        return Call(request, from: TrustedProxies([]).client(of: head, from: request.remoteBits))
    }

    /// The first step may be refused. What comes after it may not.
    @Test func onlyTheFirstStepMayBeRefused() throws {
        let call = try call(waited: 300, maxWait: .milliseconds(500))
        let limit = try #require(call.takeWaitLimit())
        #expect(limit.maximum == .milliseconds(500))
        #expect(ContinuousClock.now - limit.since >= .milliseconds(300))
        #expect(call.takeWaitLimit() == nil)
        #expect(call.takeWaitLimit() == nil)
    }

    @Test func withoutALimitNothingIsRefused() throws {
        #expect(try call(waited: 0, maxWait: nil).takeWaitLimit() == nil)
    }
}
