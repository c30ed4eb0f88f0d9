import Foundation
import JSON
import Testing

/// Values that are found nowhere but where they belong: not in a log line, an error, a metric or a file.
@Suite struct PlantedValueTests {
    /// Every value that is sent, also in the shapes that it takes on its way.
    private static let planted: [[String]] = [
        ["4716 1084 9921 8806", "4716108499218806"], ["6011 0009 9013 9424", "6011000990139424"],
        ["Quillon Zebrovsky"], ["qz8817plantedNote"], ["qz8817plantedSecret"], ["219-09-7366", "219097366"],
        ["qz8817extra"], ["qz8817extraKey"], ["qz8817bearer"], ["qz8817password"], ["qz8817cookie"], ["qz8817header"],
        ["qz8817query"], ["qz8817unfinished"], ["qz8817number"], ["qz8817upstream"], ["qz8817media"],
        ["qz8817volatile"],
        ["7716253490"], ["qz8817chunk"], ["qz8817trailer"], ["qz8817target"], ["qz8817host"], ["qz8817method"],
    ]

    /// What a client sends, and whether it is answered with what it sent.
    private struct Sent {
        let method: String
        let target: String
        var headers: [String: String] = [:]
        var body: String?
    }

    private static let card =
        #""card_number":"4716 1084 9921 8806","card_holder":"Quillon Zebrovsky","exp_date":"12/30","cvc":"907""#
    private static let badCard =
        #""card_number":"6011 0009 9013 9425","card_holder":"Quillon Zebrovsky","exp_date":"1/1","cvc":"907""#

    private static let sent: [Sent] = {
        let json = ["Content-Type": "application/json"]
        let dev = json.merging(["Authorization": User.dev.authorization]) { $1 }
        let calls = ["validate", "aliases", "tokens", "send/orders", "send/a%5Cb"].flatMap { call in
            [
                #"{"fields":{\#(card)},"extraData":{"qz8817extraKey":"qz8817extra"}}"#, #"{"fields":{\#(badCard)}}"#,
                #"{"fields":{"cvc":7716253490}}"#, #"{"fields":{"cvc":["qz8817number"]}}"#,
                #"{"fields":{"cvc":"qz8817unfinished"#,
                #"{"fields":{"cvc":"1","cvc":"qz8817number"}}"#, #"{"fields":{},"extraData":"qz8817extra"}"#,
                "qz8817unfinished",
                #"{"fields":"qz8817number"}"#, #"{"fields":{"cvc":"\#u{1}qz8817number"}}"#, #"["qz8817number"]"#,
                #"{"fields":{"card_number":"qz8817plantedNote","card_holder":"Quillon Zebrovsky 4716108499218806 $"}}"#,
            ].map { Sent(method: "POST", target: "/v1/forms/checkout/\(call)", headers: dev, body: $0) }
        }
        let identity = [
            #"{"fields":{"name":"Quillon Zebrovsky","ssn":"219-09-7366","birth_date":"04/21/1988"}}"#,
            #"{"fields":{"name":"Quillon Zebrovsky","ssn":"219-00-7366","birth_date":"qz8817plantedNote"}}"#,
        ].flatMap { body in
            ["validate", "aliases", "tokens", "send/x"].map {
                Sent(method: "POST", target: "/v1/forms/identity/\($0)", headers: dev, body: body)
            }
        }
        let sends = ["dead", "garbage", "broken"].map {
            Sent(
                method: "POST", target: "/v1/forms/\($0)/send/x", headers: json,
                body:
                    #"{"fields":{"note":"qz8817plantedNote","secret":"qz8817plantedSecret"},"extraData":{"a":"qz8817extra"}}"#
            )
        }
        let strangers = [
            "Bearer qz8817bearer", "Basic " + Data("dev:qz8817password".utf8).base64EncodedString(), "qz8817header",
        ].flatMap { value in
            ["/aliases", "/tokens", "/v1/forms/checkout/aliases"].map {
                Sent(
                    method: "POST", target: $0,
                    headers: json.merging(["Authorization": value, "Cookie": "a=qz8817cookie", "X-Own": "qz8817header"])
                    { $1 },
                    body: #"{"data":[{"value":"qz8817plantedSecret","format":"UUID"}]}"#)
            }
        }
        let vault = [
            #"{"data":[{"value":"qz8817plantedSecret","format":"UUID","classifiers":["c"]}]}"#,
            #"{"data":[{"value":"qz8817volatile","format":"UUID","storage":"VOLATILE"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","format":"FPE_SIX_T_FOUR"}]}"#,
            #"{"data":[{"value":7716253490,"format":"UUID"}]}"#, #"{"data":[{"value":"qz8817plantedSecret"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","alias":"a","format":"UUID"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","format":"UUID","classifiers":[7716253490]}]}"#,
            #"{"data":[{"value":"4716108499218806","format":"FPE_SIX_T_FOUR"}]}"#,
            #"{"data":[{"value":"qz8817unfinished"#,
            #"{"data":[{"value":"qz8817plantedSecret","value":"x","format":"UUID"}]}"#,
        ].flatMap { body in ["/aliases", "/tokens"].map { Sent(method: "POST", target: $0, headers: dev, body: body) } }
        let others: [Sent] = [
            Sent(method: "GET", target: "/v1/forms/checkout?x=qz8817query", headers: dev),
            Sent(method: "GET", target: "/aliases?q=&x=qz8817query", headers: dev),
            Sent(method: "GET", target: "/health/live?x=qz8817query"),
            Sent(
                method: "POST", target: "/v1/forms/checkout/validate", headers: ["Content-Type": "qz8817media"],
                body: "qz8817media"),
            Sent(
                method: "POST", target: "/v1/forms/checkout/aliases", headers: dev,
                body: String(repeating: "qz8817number", count: 100_000)),
        ]
        return [calls, identity, sends, strangers, vault, others].flatMap { $0 }
    }()

    /// Bytes that are no request, with a value in every place.
    private static let malformed = [
        "qz8817method /v1/forms HTTP/1.1\r\nHost: a\r\nX : qz8817header\r\n\r\n", "qz8817method\r\n\r\n",
        "GET /qz8817target\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/forms HTTP/1.1\r\nHost: qz8817host/x\r\n\r\n",
        "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: qz8817header\u{0}\r\n\r\n", "GET / qz8817target\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Length: qz8817header\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: qz8817header\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nqz8817chunk\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nqz8817chunk\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: qz8817trailer\u{0}\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\nqz8817unfinished",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nExpect: qz8817header\r\nContent-Length: 2\r\n\r\n{}",
        "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX-Request-Id: qz8817header \r\nX: \(String(repeating: "qz8817header", count: 4_000))\r\n\r\n",
        "GET /\(String(repeating: "qz8817target", count: 1_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    private func expectNothingPlanted(in text: String, _ place: String) {
        for value in Self.planted.flatMap(\.self) { #expect(!text.contains(value), "\(value) is in \(place)") }
    }

    @Test func valuesStayWhereTheyBelong() throws {
        let upstream = try Upstream { upstream, connection in
            let request = try upstream.receive(connection)
            try connection.send(
                request.target == "/garbage"
                    ? "qz8817upstream\r\n\r\n"
                    : "HTTP/1.1 200 OK\r\nX: qz8817upstream\r\nContent-Length: 9\r\n\r\nqz8817up")
        }
        let routes = [("dead", try Upstream.deserted()), ("garbage", upstream.port), ("broken", upstream.port)].map {
            name, port in
            "  - {name: \(name), kind: upstream, url: \"http://127.0.0.1:\(port)/\(name)\", allowPlaintext: true}\n"
        }.joined()
        var forms = try Setting.deliveredForms()
        forms["memo"] = Setting.memo
        for name in ["dead", "garbage", "broken"] {
            forms[name] = Setting.memo.replacing("form: memo\nroute: echo", with: "form: \(name)\nroute: \(name)")
        }
        let workspace = try Setting.workspace(Setting.base + "log: {level: trace}\nroutes:\n\(routes)", forms: forms)
        let gateway = try GatewayProcess(in: workspace)

        var answered: Set<Int> = []
        for sent in Self.sent {
            let answer = try gateway.request(sent.method, sent.target, sent.headers, body: sent.body)
            answered.insert(answer.status)
            let head = "\(answer.startLine) \(answer.headers)"
            expectNothingPlanted(in: head, "the head of an answer to \(sent.target)")
            if answer.status >= 400 { expectNothingPlanted(in: answer.bodyText, "an error of \(sent.target)") }
        }
        #expect(answered.isSuperset(of: [200, 201, 400, 401, 413, 415, 422, 502]))
        for bytes in Self.malformed {
            let connection = try Connection(port: gateway.port)
            try? connection.send(bytes)
            connection.endSending()
            expectNothingPlanted(in: try connection.receiveRest(), "an answer to something malformed")
        }
        // Found again, all the same: they were stored.
        let made = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"qz8817plantedSecret","format":"UUID"}]}"#)
        #expect(made.status == 201 && made.bodyText.contains("qz8817plantedSecret"))
        expectNothingPlanted(in: try gateway.admin("GET", "/metrics").bodyText, "the metrics")
        try expectNoFileHoldsAny(of: workspace, where: "while it runs")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("forms read again")
        #expect(try gateway.stop() == .exit(0))
        try expectNoFileHoldsAny(of: workspace, where: "after it has ended")
        let log = gateway.log
        #expect(log.contains("/v1/forms/{form}/send/{path}") && log.contains("\"status\":422"))
        expectNothingPlanted(in: log, "the log")
    }

    private func expectNoFileHoldsAny(of workspace: Workspace, where moment: String) throws {
        let files = workspace.files(in: "data")
        #expect(files.contains { $0.name == "vault.db" && $0.bytes.count > 4_096 })
        for file in files {
            for value in Self.planted.flatMap(\.self) {
                #expect(file.bytes.range(of: Data(value.utf8)) == nil, "\(value) is in \(file.name) \(moment)")
            }
        }
    }

    /// A value that is refused is known only to whoever sent it; `evaluate` shows none unless asked to.
    @Test func anEvaluationShowsNothingUnlessAsked() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let lines = [
            #"{"form":"checkout","fields":{\#(Self.card)},"extraData":{"a":"x"}}"#,
            #"{"form":"checkout","fields":{\#(Self.badCard)}}"#,
            #"{"form":"checkout","fields":{"cvc":7716253490}}"#,
            #"{"form":"checkout","fields":{"cvc":"qz8817unfinished"#,
            #"{"form":"identity","fields":{"name":"Quillon Zebrovsky","ssn":"219-09-7366"}}"#, "qz8817number",
        ].joined(separator: "\n")
        let arguments = ["evaluate", "--config", workspace.path(of: "cloakroom.yaml"), "--now", "2026-11-21T12:00:00Z"]
        let hidden = try Command.cloakroom(arguments, input: lines, in: workspace)
        #expect(hidden.end == .exit(0) && hidden.lines.count == 6)
        expectNothingPlanted(in: hidden.output, "the output")
        expectNothingPlanted(in: hidden.errors, "the errors")
        let shown = try Command.cloakroom(arguments + ["--reveal"], input: lines, in: workspace)
        #expect(shown.output.contains("4716108499218806") && shown.output.contains("Quillon Zebrovsky"))
    }
}
