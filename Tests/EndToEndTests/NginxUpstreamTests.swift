import Foundation
import JSON
import Testing

/// Routes to a peer that nobody wrote for them: nginx, with TLS and with mutual TLS.
@Suite(.waits) struct NginxUpstreamTests {
    private let workspace: Workspace
    private let certificates: Certificates

    init() throws {
        workspace = try Workspace()
        certificates = try Certificates(in: workspace)
        try certificates.issue("server", for: "DNS:localhost,IP:127.0.0.1")
    }

    private func nginx(_ server: String) throws -> NginxProcess {
        try NginxProcess(
            in: workspace, listen: "ssl",
            server: """
                ssl_certificate \(workspace.path)/server.pem; ssl_certificate_key \(workspace.path)/server.key;
                default_type text/plain; \(server)
                """)
    }

    private func gateway(to nginx: NginxProcess, _ tls: String, _ more: String = "") throws -> GatewayProcess {
        let configuration = """
            \(Setting.base)
            routes:
              - {name: secure, kind: upstream, url: "https://localhost:\(nginx.port)/in", methods: [GET, POST],
                 responseHeaders: [Content-Type, X-Connection], tls: {ca: \(certificates.authority)\(tls)}\(more)}
            """
        return try GatewayProcess(
            in: Setting.workspace(
                configuration, forms: ["order": "form: order\nroute: secure\nfields: [{name: note}]"]))
    }

    private func send(_ gateway: GatewayProcess, _ method: String = "POST", _ path: String = "x") throws -> Message {
        try gateway.request(
            method, "/v1/forms/order/send/\(path)", ["Content-Type": "application/json"],
            body: #"{"fields":{"note":"n"}}"#)
    }

    private func code(_ answer: Message) throws -> String? { try answer.json()["error"]?["code"]?.text }

    @Test func oneConnectionServesManyRequests() throws {
        let nginx = try nginx(
            #"ssl_protocols TLSv1.2 TLSv1.3; location / { add_header X-Connection $connection; return 200 "$ssl_protocol $request_method $request_uri"; }"#
        )
        let gateway = try gateway(to: nginx, "")
        // One connection stays on one loop of the gateway, and so do the gateway's own.
        let connection = try Connection(port: gateway.port)
        var seen: Set<String> = []
        for _ in 0..<20 {
            let body = #"{"fields":{"note":"n"}}"#
            try connection.send(
                "POST /v1/forms/order/send/x HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            let answer = try connection.receive()
            #expect(answer.status == 200)
            #expect(answer.bodyText == "TLSv1.3 POST /in/x")
            seen.insert(answer["X-Connection"] ?? "none")
        }
        #expect(seen.count == 1 && !seen.contains("none"))
    }

    @Test func theGatewayShowsItsCertificate() throws {
        try certificates.issue("gateway", for: "DNS:gateway")
        let nginx = try nginx(
            "ssl_client_certificate \(certificates.authority); ssl_verify_client on; location / { return 200 $ssl_client_s_dn; }"
        )
        let identity = ", certificate: \(workspace.path)/gateway.pem, key: \(workspace.path)/gateway.key"
        let known = try send(gateway(to: nginx, identity))
        #expect(known.status == 200 && known.bodyText == "CN=gateway")
        // nginx completes the handshake and says what is missing in its own words.
        let unknown = try send(gateway(to: nginx, ""))
        #expect(unknown.status == 400 && unknown["Cloakroom-Upstream-Status"] == "400")
    }

    @Test func anOlderVersionOfTLSMayBeRefused() throws {
        let nginx = try nginx("ssl_protocols TLSv1.2; location / { return 200 $ssl_protocol; }")
        #expect(try send(gateway(to: nginx, "")).bodyText == "TLSv1.2")
        let refused = try send(gateway(to: nginx, ", minimumVersion: 1.3"))
        #expect(try refused.status == 502 && code(refused) == "-1200")
    }

    @Test func aLargeAnswerComesThroughAsItIs() throws {
        let text = (0..<400_000).map { "line \($0)\n" }.joined()
        try workspace.write(text, to: "files/in/large.txt")
        let nginx = try nginx("location / { root \(workspace.path)/files; error_page 405 =200 $uri; }")
        let answer = try send(gateway(to: nginx, ""), "GET", "large.txt")
        #expect(answer.status == 200 && answer["Content-Length"] == "\(text.utf8.count)")
        #expect(answer.bodyText == text)
    }
}
