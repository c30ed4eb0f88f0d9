import Testing

/// `instance` names the path as soon as the request line has been read, whatever is wrong behind it.
@Suite(.waits) struct RefusalInstanceTests {
    private static let path = "/v1/forms/memo/validate"

    @Test(
        arguments: [
            ("POST \(path)?a=b HTTP/1.1\r\n\r\n", 400, path), ("POST \(path) HTTP/1.1\r\nHost: a b\r\n\r\n", 400, path),
            ("POST \(path) HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, path),
            ("POST \(path) HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431, path),
            ("POST http://h\(path)?a HTTP/1.1\r\nHost: \r\n\r\n", 400, path),
            ("POST \(path) HTTP/3.1\r\n\r\n", 505, nil), ("POST \(path) x HTTP/1.1\r\n\r\n", 400, nil),
        ] as [(String, Int, String?)])
    func refusals(request: String, status: Int, instance: String?) throws {
        let connection = try Connection(port: Setting.shared.get().port)
        try connection.send(request)
        let answer = try connection.receive()
        #expect(answer.status == status)
        #expect(try answer.json().string("instance") == instance)
    }

    @Test func aHeadThatTakesTooLong() throws {
        let configuration = Setting.base.replacing("workers: 2}", with: "workers: 1, timeouts: {header: 2s}}")
        let gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["memo": Setting.memo]))
        let connection = try Connection(port: gateway.port)
        try connection.send("POST \(Self.path)?a=b HTTP/1.1\r\nHost: a\r\nX-")
        let answer = try connection.receive()
        #expect(answer.status == 408)
        #expect(try answer.json().string("instance") == Self.path)
    }
}
