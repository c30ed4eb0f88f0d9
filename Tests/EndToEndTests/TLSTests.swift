import Foundation
import JSON
import ProcessTesting
import Testing

/// TLS on both sides: one gateway is the upstream of another.
@Suite(.waits) struct TLSTests {
    private let workspace: Workspace
    private let certificates: Certificates
    /// Answers over TLS, with a certificate for `localhost` alone.
    private let inner: GatewayProcess

    /// Its echo is the proof that a request came through: what it gets is a submission again.
    private static let innerForm = "form: inner\nroute: echo\nfields: [{name: note}]"

    init() throws {
        workspace = try Setting.workspace(forms: ["inner": Self.innerForm])
        certificates = try Certificates(in: workspace)
        try certificates.issue("server", for: "DNS:localhost")
        inner = try GatewayProcess(in: workspace, Self.tls(workspace))
    }

    private static func tls(_ workspace: Workspace) -> [String] {
        ["--set", "server.tls={certificate: \(workspace.path)/server.pem, key: \(workspace.path)/server.key}"]
    }

    /// A gateway that sends to the inner one, and what its caller gets.
    private func sendThrough(_ url: String, _ tls: String) throws -> Message {
        let configuration = """
            \(Setting.base)
            routes: [{name: secure, kind: upstream, url: "\(url)", tls: \(tls), timeouts: {connect: 30s, total: 30s}}]
            """
        let form = "form: outer\nroute: secure\nfields: [{name: fields.note}]"
        let outer = try GatewayProcess(in: Setting.workspace(configuration, forms: ["outer": form]))
        return try outer.post("/v1/forms/outer/send/x", #"{"fields":{"fields.note":"through"}}"#)
    }

    private var base: String { "https://localhost:\(inner.port)/v1/forms/inner/send" }

    @Test func aTrustedUpstreamIsReached() throws {
        let answer = try sendThrough(base, "{ca: \(certificates.authority)}")
        #expect(answer.status == 200 && answer["Cloakroom-Upstream-Status"] == "200")
        try expect(answer.json(), equals: #"{"note":"through"}"#)
    }

    @Test func anotherNameMayBeAsked() throws {
        let url = "https://127.0.0.1:\(inner.port)/v1/forms/inner/send"
        let answer = try sendThrough(url, "{ca: \(certificates.authority), serverName: localhost}")
        #expect(answer.status == 200)
    }

    private func expectInsecure(_ answer: Message) throws {
        #expect(answer.status == 502 && answer["Cloakroom-Upstream-Status"] == nil)
        let error = try answer.json()["error"]
        #expect(error?["code"]?.text == "-1200" && error?.string("type") == "secureConnectionFailed")
        #expect(!inner.log.contains("send/{path}"))
    }

    @Test func anUnknownAuthorityIsNotTrusted() throws { try expectInsecure(sendThrough(base, "{}")) }

    @Test func anotherHostNameIsNotTrusted() throws {
        for host in ["127.0.0.1", "localhost"] {
            let name = host == "localhost" ? ", serverName: shop.example" : ""
            let url = "https://\(host):\(inner.port)/v1/forms/inner/send"
            try expectInsecure(sendThrough(url, "{ca: \(certificates.authority)\(name)}"))
        }
    }

    @Test func aPlaintextUpstreamIsNoSecureOne() throws {
        let upstream = try Upstream { upstream, connection in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try upstream.receive(connection)
        }
        try expectInsecure(sendThrough("https://localhost:\(upstream.port)", "{ca: \(certificates.authority)}"))
        #expect(upstream.requests.isEmpty)
    }

    @Test func anUpstreamThatHangsUpInTheHandshake() throws {
        let upstream = try Upstream { _, _ in }
        try expectInsecure(sendThrough("https://localhost:\(upstream.port)", "{ca: \(certificates.authority)}"))
    }

    // MARK: The server's side

    private func curl(_ arguments: String...) throws -> Command {
        let url = "https://localhost:\(inner.port)/v1/forms/inner/send"
        let body = [
            "-sS", "--max-time", "30", "-H", "Content-Type: application/json", "-d", #"{"fields":{"note":"x"}}"#, url,
        ]
        return try Command("/usr/bin/env", ["curl"] + arguments + body, in: workspace)
    }

    @Test(arguments: ["--tlsv1.2 --tls-max 1.2", "--tlsv1.3"])
    func clientsAreAnsweredOverTLS(_ versions: String) throws {
        let words = versions.split(separator: " ").map(String.init)
        let answer = try curl(
            "--cacert", certificates.authority, words[0], words.count > 1 ? words[1] : "-sS", words.last ?? "-sS")
        #expect(answer.end == .exit(0) && answer.output == #"{"note":"x"}"#, "\(answer.errors)")
    }

    @Test func oldVersionsAndPlaintextAreNotAnswered() throws {
        #expect(try curl("-k", "--tls-max", "1.1", "--ciphers", "ALL:@SECLEVEL=0").end != .exit(0))
        let connection = try Connection(port: inner.port)
        try connection.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try !connection.receiveRest().contains("HTTP/1.1 2"))
        #expect(try inner.admin("GET", "/metrics").bodyText.contains("\ncloakroom_failed_handshakes_total 2\n"))
    }

    @Test func aClientMustShowItsCertificateWhereItIsAsked() throws {
        try certificates.issue("client", for: "DNS:client")
        let other = try Setting.workspace(forms: ["inner": Self.innerForm])
        let strict = try GatewayProcess(
            in: other,
            [
                "--set",
                "server.tls={certificate: \(workspace.path)/server.pem, key: \(workspace.path)/server.key, clientCA: \(certificates.authority)}",
            ])
        let target = "https://localhost:\(strict.port)/v1/forms"
        func call(_ arguments: String...) throws -> Command {
            try Command(
                "/usr/bin/env",
                ["curl", "-sS", "--max-time", "30", "--cacert", certificates.authority] + arguments + [target],
                in: workspace)
        }
        #expect(try call().end != .exit(0))
        let own = try call("--cert", workspace.path(of: "client.pem"), "--key", workspace.path(of: "client.key"))
        #expect(own.end == .exit(0) && own.output.contains("inner"))

        // Signed by somebody else.
        let stranger = try Certificates(in: Workspace())
        try stranger.issue("client", for: "DNS:client")
        let foreign = try call(
            "--cert", stranger.workspace.path(of: "client.pem"), "--key", stranger.workspace.path(of: "client.key"))
        #expect(foreign.end != .exit(0) && !foreign.output.contains("inner"))

        // Both can see why, and so can the operator. The log is written by a thread of its own.
        for reason in ["peer did not return a certificate", "unable to get local issuer certificate"] {
            try eventually("the log says why") { strict.log.contains("a client's TLS handshake failed: \(reason)") }
        }
    }

    /// SIGHUP takes a new certificate for new connections.
    @Test func aNewCertificateIsTakenWithoutARestart() throws {
        let other = try Setting.workspace(forms: ["inner": Self.innerForm])
        let certificates = try Certificates(in: other)
        try certificates.issue("server", for: "DNS:old.example")
        let gateway = try GatewayProcess(in: other, Self.tls(other))
        func call(_ host: String) throws -> ChildProcess.End {
            try Command(
                "/usr/bin/env",
                [
                    "curl", "-sS", "--max-time", "30", "--cacert", certificates.authority, "--resolve",
                    "\(host):\(gateway.port):127.0.0.1", "https://\(host):\(gateway.port)/v1/forms",
                ], in: other
            ).end
        }
        #expect(try call("old.example") == .exit(0) && call("new.example") != .exit(0))
        try certificates.issue("server", for: "DNS:new.example")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("configuration read again")
        #expect(try call("new.example") == .exit(0) && call("old.example") != .exit(0))
    }
}
