import Foundation
import JSON
import ProcessTesting
import Testing

/// Values that are found nowhere but where they belong: not in a log line, an error, a metric or a file.
@Suite(.waits) struct PlantedValueTests {
    private func expectNothingPlanted(in text: String, _ place: String) {
        for value in PlantedValues.all { #expect(!text.contains(value), "\(value) is in \(place)") }
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
        for sent in PlantedValues.sent {
            let answer = try gateway.request(sent.method, sent.target, sent.headers, body: sent.body)
            answered.insert(answer.status)
            let head = "\(answer.startLine) \(answer.headers)"
            expectNothingPlanted(in: head, "the head of an answer to \(sent.target)")
            if answer.status >= 400 { expectNothingPlanted(in: answer.bodyText, "an error of \(sent.target)") }
        }
        #expect(answered.isSuperset(of: [200, 201, 400, 401, 413, 415, 422, 502]))
        for bytes in PlantedValues.malformed {
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
        try gateway.waitForLog("configuration read again")
        #expect(try gateway.stop() == .exit(0))
        try expectNoFileHoldsAny(of: workspace, where: "after it has ended")
        let log = gateway.log
        #expect(log.contains("/v1/forms/{form}/send/{path}") && log.contains("\"status\":422"))
        expectNothingPlanted(in: log, "the log")
    }

    /// Where a caller's own words are answered to it by contract (names of fields, aliases, paths), they still stay out of
    /// log, metrics and files.
    @Test func namesThatAreAnsweredAreNotKept() throws {
        let gateway = try GatewayProcess(
            in: Setting.workspace(Setting.base + "log: {level: trace}\n", forms: ["memo": Setting.memo]))
        let value = "4716108499218806"
        let json = #"{"fields":{"note":"x"}}"#
        let requests: [(String, String, String?)] = [
            ("GET", "/aliases/\(value)", nil), ("GET", "/aliases?q=\(value)", nil),
            ("DELETE", "/aliases/\(value)", nil),
            ("PUT", "/aliases/\(value)", #"{"data":{"classifiers":["\#(value)"]}}"#), ("GET", "/\(value)", nil),
            ("POST", "/aliases/delete", #"{"data":["\#(value)"]}"#), ("GET", "/v1/forms/\(value)", nil),
            ("POST", "/aliases", #"{"data":[{"alias":"\#(value)","format":"UUID"}]}"#),
            ("POST", "/aliases", #"{"data":[{"value":"x","format":"\#(value)"}]}"#),
            ("POST", "/aliases", #"{"data":[{"\#(value)":"x","format":"UUID"}]}"#),
            ("POST", "/v1/forms/memo/validate", #"{"fields":{"\#(value)":"x"}}"#),
            ("POST", "/v1/forms/memo/validate", #"{"\#(value)":{}}"#), ("POST", "/v1/forms/memo/send/\(value)", json),
            ("POST", "/v1/forms/memo/\(value)", json), ("POST", "/v1/forms/\(value)/send/x", json),
        ]
        for (method, target, body) in requests { #expect(try gateway.vault(method, target, body).status >= 200) }
        #expect(try !gateway.admin("GET", "/metrics").bodyText.contains(value))
        #expect(try gateway.stop() == .exit(0))
        #expect(gateway.log.contains("/aliases/{alias}") && !gateway.log.contains(value))
        for file in gateway.workspace.files(in: "data") { #expect(file.bytes.range(of: Data(value.utf8)) == nil) }
    }

    private func expectNoFileHoldsAny(of workspace: Workspace, where moment: String) throws {
        let files = workspace.files(in: "data")
        #expect(files.contains { $0.name == "vault.db" && $0.bytes.count > 4_096 })
        for file in files {
            for value in PlantedValues.all {
                #expect(file.bytes.range(of: Data(value.utf8)) == nil, "\(value) is in \(file.name) \(moment)")
            }
        }
    }

    /// A value that is refused is known only to whoever sent it; `evaluate` shows none unless asked to.
    @Test func anEvaluationShowsNothingUnlessAsked() throws {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let lines = [
            #"{"form":"checkout","fields":{\#(PlantedValues.card)},"extraData":{"a":"x"}}"#,
            #"{"form":"checkout","fields":{\#(PlantedValues.badCard)}}"#,
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
