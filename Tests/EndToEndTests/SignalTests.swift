import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// SIGTERM, SIGINT and SIGHUP.
@Suite(.waits) struct SignalTests {
    /// An upstream that answers when it is told to.
    private static func patient(_ go: DispatchSemaphore) throws -> Upstream {
        try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            go.wait()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
        }
    }

    private static func gateway(_ upstream: Upstream, _ arguments: [String] = []) throws -> GatewayProcess {
        let route =
            "routes: [{name: r, kind: upstream, url: \"http://127.0.0.1:\(upstream.port)\", allowPlaintext: true}]"
        let form = "form: f\nroute: r\nfields: [{name: note}]"
        return try GatewayProcess(in: Setting.workspace(Setting.base + route, forms: ["f": form]), arguments)
    }

    private static let request =
        "POST /v1/forms/f/send HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"fields\":{}}"

    @Test(arguments: [SIGTERM, SIGINT])
    func requestsUnderWayAreAnsweredAndNoOthersTaken(_ signal: Int32) throws {
        let go = DispatchSemaphore(value: 0)
        let upstream = try Self.patient(go)
        let gateway = try Self.gateway(upstream)
        let busy = try Connection(port: gateway.port)
        let idle = try Connection(port: gateway.port)
        let half = try Connection(port: gateway.port)
        try idle.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try idle.receive().status == 200)
        try half.send("GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: ")
        try busy.send(Self.request)
        try eventually("the upstream has the request") { upstream.requests.count == 1 }

        gateway.process.signal(signal)
        try eventually("nobody is let in any more") { (try? Connection(port: gateway.port)) == nil }
        #expect(try idle.receiveRest().isEmpty)
        try half.send("y\r\n\r\n")
        #expect(try half.receive().status == 200)
        #expect(try half.receiveRest().isEmpty)
        go.signal()
        let answer = try busy.receive()
        #expect(answer.status == 200 && answer.bodyText == "done" && answer["Connection"] == "close")
        #expect(try busy.receiveRest().isEmpty)
        #expect(try gateway.process.wait() == .exit(0))
        #expect(gateway.log.contains("stopped"))
    }

    /// A request that does not end is cut when the time to drain is over.
    @Test func drainingHasAnEnd() throws {
        let go = DispatchSemaphore(value: 0)
        let upstream = try Self.patient(go)
        let gateway = try Self.gateway(upstream, ["--set", "server.timeouts.drain=100ms"])
        let busy = try Connection(port: gateway.port)
        try busy.send(Self.request)
        try eventually("the upstream has the request") { upstream.requests.count == 1 }
        #expect(try gateway.stop() == .exit(0))
        #expect(try !busy.receiveRest().contains("done"))
        go.signal()
    }

    /// The log counts what was sent: to a client that has gone before the end, nothing.
    @Test func whatNobodyGetsIsNotCounted() throws {
        let go = DispatchSemaphore(value: 0)
        let upstream = try Self.patient(go)
        let gateway = try Self.gateway(upstream, ["--set", "server.timeouts.drain=100ms"])
        do {
            let gone = try Connection(port: gateway.port)
            try gone.send(Self.request)
            try eventually("the upstream has the request") { upstream.requests.count == 1 }
            gone.reset()
        }
        #expect(try gateway.stop() == .exit(0))
        let line = try #require(gateway.log.split(separator: "\n").first { $0.contains(#""message":"request""#) })
        let logged = try JSONValue(text: String(line))
        #expect(logged["status"]?.text == "503" && logged["bytesOut"]?.text == "0", "\(line)")
        go.signal()
    }

    /// Whoever starts the gateway need not read what it says: neither requests nor the end wait for that.
    @Test func aLogThatNobodyReadsHoldsNothingUp() throws {
        let workspace = try Setting.workspace()
        let log = workspace.path(of: "errors")
        #expect(mkfifo(log, 0o600) == 0)
        let reader = open(log, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let gateway = try GatewayProcess(in: workspace, ["--set", "log.level=info"])
        // A pipe holds 64 KiB.
        for _ in 0..<800 { #expect(try gateway.request("GET", "/v1/forms").status == 200) }
        #expect(try gateway.stop() == .exit(0))
    }

    /// A second file cannot take a form over.
    /// Whoever asks a hundred times is answered by what was read last, and does not keep others from stopping the process.
    @Test func manyReloadsAreOne() throws {
        let workspace = try Setting.workspace(
            forms: Dictionary(uniqueKeysWithValues: (0..<50).map { ("f\($0)", "form: f\($0)\nfields: [{name: a}]") }))
        let gateway = try GatewayProcess(in: workspace)
        for _ in 0..<100 {
            gateway.process.signal(SIGHUP)
            usleep(1_000)
        }
        #expect(try gateway.stop() == .exit(0))
        #expect((0..<50).contains(gateway.log.ranges(of: "configuration read again").count))
    }

    @Test func aFormStaysWithItsFile() throws {
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        try workspace.write("form: memo\nfields: [{name: added}]", to: "forms/a.yaml")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("configuration read again")
        #expect(gateway.log.contains("form: memo is defined in"))
        #expect(try gateway.post("/v1/forms/memo/validate", #"{"fields":{"note":"x"}}"#).status == 200)
    }

    /// A file that takes another's id loses, whatever its name; two that change places do so.
    @Test func aFormIsNotTakenFromItsFile() throws {
        let other = "form: other\nfields: [{name: added}]"
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo, "a": other])
        let gateway = try GatewayProcess(in: workspace)
        func status(_ form: String, _ field: String) throws -> Int {
            try gateway.post("/v1/forms/\(form)/validate", #"{"fields":{"\#(field)":"x"}}"#).status
        }
        try workspace.write("form: memo\nfields: [{name: added}]", to: "forms/a.yaml")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("configuration read again")
        #expect(gateway.log.contains("form: memo is defined in"))
        #expect(try status("memo", "note") == 200 && status("other", "added") == 200)
        try workspace.write("form: other\nfields: [{name: note}]", to: "forms/memo.yaml")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("configuration read again", moreThan: 1)
        #expect(try status("memo", "added") == 200 && status("other", "note") == 200)
    }

    @Test func aFormWithAMistakeStaysWhatItWas() throws {
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        var reloads = 0
        func reload() throws {
            gateway.process.signal(SIGHUP)
            try gateway.waitForLog("configuration read again", moreThan: reloads)
            reloads += 1
        }
        func status(_ form: String, _ field: String) throws -> Int {
            try gateway.post("/v1/forms/\(form)/validate", #"{"fields":{"\#(field)":"x"}}"#).status
        }
        #expect(try status("memo", "note") == 200 && status("memo", "added") == 400)

        try workspace.write("form: memo\nfields: [{name: added, type: nonsense}]", to: "forms/memo.yaml")
        try workspace.write("form: second\nfields: [{name: note}]", to: "forms/second.yaml")
        try reload()
        // A mistake anywhere keeps all of the old configuration.
        #expect(try status("memo", "note") == 200 && status("memo", "added") == 400 && status("second", "note") == 404)
        #expect(gateway.log.contains("memo.yaml:2"))

        try workspace.write("form: memo\nfields: [{name: added}]", to: "forms/memo.yaml")
        try reload()
        #expect(try status("memo", "note") == 400 && status("memo", "added") == 200 && status("second", "note") == 200)

        try workspace.write("form: second\nfields: [{name: note, type: nonsense}]", to: "forms/moved.yaml")
        try FileManager.default.removeItem(atPath: workspace.path(of: "forms/second.yaml"))
        try reload()
        #expect(try status("second", "note") == 200)
        try workspace.write("form: second\nfields: [", to: "forms/moved.yaml")
        try reload()
        #expect(try status("second", "note") == 200)

        try FileManager.default.removeItem(atPath: workspace.path(of: "forms/moved.yaml"))
        try reload()
        #expect(try status("memo", "added") == 200 && status("second", "note") == 404)
        #expect(try gateway.stop() == .exit(0))
    }

    /// A vault belongs to one master key: without it nothing is started, and none is made up.
    @Test func aVaultIsNotOpenedWithAnotherKey() throws {
        let workspace = try Setting.workspace()
        let gateway = try GatewayProcess(in: workspace)
        #expect(try gateway.vault("POST", "/aliases", #"{"data":[{"value":"v","format":"UUID"}]}"#).status == 201)
        #expect(try gateway.stop() == .exit(0))
        let mode = try FileManager.default.attributesOfItem(atPath: workspace.path(of: "data/master.key"))
        #expect(mode[.posixPermissions] as? Int == 0o600)
        try FileManager.default.removeItem(atPath: workspace.path(of: "data/master.key"))
        let serve = ["serve", "--config", workspace.path(of: "cloakroom.yaml")]
        let without = try Command.cloakroom(serve, in: workspace)
        #expect(without.end == .exit(1) && without.errors.contains("masterKey"))
        #expect(!FileManager.default.fileExists(atPath: workspace.path(of: "data/master.key")))
        try workspace.write(Data((0..<32).map { UInt8($0) }).base64EncodedString(), to: "data/master.key")
        chmod(workspace.path(of: "data/master.key"), 0o600)
        #expect(try Command.cloakroom(serve, in: workspace).end == .exit(1))
    }
}
