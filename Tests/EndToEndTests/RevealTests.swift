import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// The way back out (proxy, section 7), with the real process between caller and processor.
@Suite(.waits) struct RevealTests {
    private static let card = "4539600166594134"
    private let processor: Upstream
    private let gateway: GatewayProcess

    init() throws {
        processor = try Upstream { upstream, connection in
            while true {
                let request = try upstream.receive(connection)
                let text =
                    request.target.hasSuffix("/html")
                    ? "<p>\(Self.card)</p>" : #"{"card":{"pan":"\#(Self.card)"},"n":1.0}"#
                let size = request.target.hasSuffix("/large") ? 17 << 20 : 0
                let body = text + String(repeating: " ", count: size)
                try connection.send(
                    "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
        }
        let configuration = """
            \(Setting.base)
            routes:
              - name: acquirer
                kind: reveal
                url: http://127.0.0.1:\(processor.port)/in
                allowPlaintext: true
                methods: [GET, POST]
                reveal: {body: [/source], headers: [X-Card], query: [pan]}
                redact: [{pointer: /card/pan, format: FPE_SIX_T_FOUR}]
            """
        gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["memo": Setting.memo]))
    }

    private func alias() throws -> String {
        let answer = try gateway.vault(
            "POST", "/aliases", #"{"data":[{"value":"\#(Self.card)","format":"FPE_SIX_T_FOUR"}]}"#)
        let alias = try answer.json()["data"]?.array?.first?["aliases"]?.array?.first?.string("alias")
        return try #require(alias)
    }

    @Test func valuesGoOutAndAliasesComeBack() throws {
        let alias = try alias()
        let answer = try gateway.request(
            "POST", "/v1/routes/acquirer/charges?pan=\(alias)&x=%2F",
            ["Content-Type": "application/json", "Authorization": User.dev.authorization, "X-Card": "Bearer \(alias)"],
            body: #"{"source":"\#(alias)","amount":10.00}"#)
        #expect(answer.status == 201 && answer["Cloakroom-Upstream-Status"] == "201")
        #expect(answer.bodyText == #"{"card":{"pan":"\#(alias)"},"n":1.0}"#)
        let request = try #require(processor.requests.first)
        #expect(request.startLine == "POST /in/charges?pan=\(Self.card)&x=%2F HTTP/1.1")
        #expect(request.bodyText == #"{"source":"\#(Self.card)","amount":10.00}"#)
        #expect(request["X-Card"] == "Bearer \(Self.card)" && request["Authorization"] == nil)
        #expect(!gateway.log.contains(Self.card) && !gateway.log.contains(alias))
    }

    @Test(arguments: ["html", "large"])
    func whatCannotBeRedactedIsNotPassedOn(_ path: String) throws {
        let answer = try gateway.request(
            "GET", "/v1/routes/acquirer/\(path)", ["Authorization": User.dev.authorization])
        #expect(answer.status == 502 && !answer.bodyText.contains(Self.card))
        #expect(try answer.json()["error"]?.string("type") == "answerWithheld")
    }

    @Test func unknownAliasesStayHere() throws {
        let answer = try gateway.post(
            "/v1/routes/acquirer/charges", #"{"source":"tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN"}"#, as: .dev)
        #expect(answer.status == 400 && answer.bodyText.contains("tok_sandbox_FyUq2QGMG7ByxxCbrqQoMN"))
        #expect(processor.requests.isEmpty)
        #expect(try gateway.post("/v1/routes/acquirer/charges", "{}", as: .writer).status == 403)
        #expect(try gateway.post("/v1/routes/acquirer/charges", "{}").status == 401)
    }

    /// A day is longer than a process may live.
    @Test func repeatedRequestsAreAnsweredAcrossARestart() throws {
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo])
        let headers = [
            "Content-Type": "application/json", "Idempotency-Key": "order 17",
            "Authorization": User.dev.authorization,
        ]
        let body = #"{"fields":{"note":"a","secret":"s3cr3t-value"}}"#
        var first = ""
        for round in 0..<2 {
            let gateway = try GatewayProcess(in: workspace)
            let answer = try gateway.request("POST", "/v1/forms/memo/aliases", headers, body: body)
            #expect(answer.status == 201 && answer["Idempotency-Replayed"] == (round == 0 ? nil : "true"))
            if round == 0 { first = answer.bodyText } else { #expect(answer.bodyText == first) }
            let other = body.replacing("\"a\"", with: "\"b\"")
            #expect(try gateway.request("POST", "/v1/forms/memo/aliases", headers, body: other).status == 422)
            #expect(try gateway.stop() == .exit(0))
        }
        for file in workspace.files(in: "data") {
            #expect(file.bytes.range(of: Data("order 17".utf8)) == nil)
        }
    }
}
