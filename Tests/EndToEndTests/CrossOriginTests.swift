import Testing

/// What pages of other origins see when they are refused: without the headers of CORS, only that something failed.
@Suite(.waits) struct CrossOriginTests {
    private static let shop = "https://shop.example"

    private func gateway(_ settings: [String], origins: String = "[\"\(shop)\"]") throws -> GatewayProcess {
        let form = Setting.memo + "\nallowedOrigins: \(origins)\n"
        return try GatewayProcess(in: Setting.workspace(forms: ["memo": form]), settings.flatMap { ["--set", $0] })
    }

    private func answer(_ gateway: GatewayProcess, _ request: String) throws -> Message {
        let connection = try Connection(port: gateway.port)
        try connection.send(request)
        return try connection.receive()
    }

    private func post(_ form: String, _ origin: String, _ lines: String) -> String {
        "POST /v1/forms/\(form)/validate HTTP/1.1\r\nHost: a\r\nOrigin: \(origin)\r\nContent-Type: application/json\r\n\(lines)"
    }

    /// The wire layer refuses before any form is asked.
    @Test(arguments: [
        ("Content-Length: 65\r\n\r\n", 413), ("Content-Length: 9\r\n\r\n{", 408),
        ("Transfer-Encoding: chunked\r\n\r\nnonsense\r\n", 400),
    ])
    func aPageReadsWhyItsRequestIsRefused(_ lines: String, status: Int) throws {
        let gateway = try gateway(["server.limits.body=64", "server.timeouts.body=100ms"])
        let own = try answer(gateway, post("memo", Self.shop, lines))
        #expect(own.status == status && own["Access-Control-Allow-Origin"] == Self.shop)
        #expect(own["Access-Control-Expose-Headers"]?.contains("X-Request-Id") == true && own["Vary"] == "Origin")
        let other = try answer(gateway, post("memo", "https://other.example", lines))
        #expect(other.status == status && other["Access-Control-Allow-Origin"] == nil && other["Vary"] == "Origin")
        // What is about no form is read by the pages of all forms.
        let nowhere = try answer(gateway, post("nowhere", Self.shop, lines))
        #expect(nowhere.status == status && nowhere["Access-Control-Allow-Origin"] == Self.shop)
        let nobody = try answer(gateway, post("nowhere", "https://other.example", lines))
        #expect(nobody.status == status && nobody["Access-Control-Allow-Origin"] == nil && nobody["Vary"] == "Origin")
    }

    /// Of a head that is too large the origin is known if it has come.
    @Test func aHeadThatIsTooLarge() throws {
        let limit = "server.limits.headers=256"
        let large = "X: \(String(repeating: "a", count: 256))"
        for (origins, other) in [("[\"*\"]", "*"), ("[\"\(Self.shop)\"]", nil)] {
            let gateway = try gateway([limit], origins: origins)
            for (head, allowed) in [
                (post("memo", Self.shop, "\(large)\r\n\r\n"), origins.contains("*") ? "*" : Self.shop),
                (post("memo", "https://other.example", "\(large)\r\n\r\n"), other),
                ("POST /v1/forms/memo/validate HTTP/1.1\r\n\(large)", other),
            ] {
                let refused = try answer(gateway, head)
                #expect(refused.status == 431 && refused["Access-Control-Allow-Origin"] == allowed, "\(head)")
            }
        }
    }
}
