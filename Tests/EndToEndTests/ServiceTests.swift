import Foundation
import ProcessTesting
import Testing

/// The process under a service manager and behind a load balancer.
@Suite(.waits) struct ServiceTests {
    /// The protocol of sd_notify(3), with a path and with an abstract name.
    @Test(arguments: [true, false])
    func theServiceManagerIsNotified(isAbstract: Bool) throws {
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo])
        let socket = try NotifySocket(
            isAbstract ? "@cloakroom-\(UUID().uuidString)" : workspace.path(of: "notify"))
        let gateway = try GatewayProcess(
            in: workspace, environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "300000"])
        #expect(try socket.receiveEvent() == "READY=1")
        // Several, each within the timeout.
        for _ in 0..<3 { #expect(try socket.receive() == "WATCHDOG=1") }
        gateway.process.signal(SIGHUP)
        let lines = try socket.receiveEvent().split(separator: "\n")
        #expect(lines.first == "RELOADING=1" && lines.count == 2)
        #expect(lines.last?.wholeMatch(of: /MONOTONIC_USEC=\d+/) != nil)
        #expect(try socket.receiveEvent() == "READY=1")
        gateway.process.signal(SIGTERM)
        let stopping = try socket.receiveEvent()
        #expect(stopping.wholeMatch(of: /STOPPING=1\nEXTEND_TIMEOUT_USEC=\d+/) != nil)
        #expect(try gateway.process.wait() == .exit(0))
    }

    /// The watchdog of another process is not this one's.
    @Test func aForeignWatchdogIsIgnored() throws {
        let workspace = try Setting.workspace()
        let socket = try NotifySocket(workspace.path(of: "notify"))
        let environment = ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"]
        let gateway = try GatewayProcess(in: workspace, environment: environment)
        #expect(try socket.receive() == "READY=1")
        usleep(300_000)
        gateway.process.signal(SIGTERM)
        #expect(try socket.receive().hasPrefix("STOPPING=1"))
        #expect(try gateway.process.wait() == .exit(0))
    }

    /// Load balancers see the 503 of readiness while connections are still accepted.
    @Test func readinessEndsBeforeTheServerDoes() throws {
        let gateway = try GatewayProcess(
            in: Setting.workspace(forms: ["memo": Setting.memo]), ["--set", "server.shutdownDelay=1h"])
        #expect(try gateway.admin("GET", "/health/ready").status == 200)
        gateway.process.signal(SIGTERM)
        try eventually("it is not ready") { try gateway.admin("GET", "/health/ready").status == 503 }
        for _ in 0..<5 {
            #expect(try gateway.post("/v1/forms/memo/validate", #"{"fields":{"note":"a"}}"#).status == 200)
        }
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        gateway.process.signal(SIGKILL)
        #expect(try gateway.process.wait() == .signal(SIGKILL))
    }

    @Test func theServerEndsAfterTheDelay() throws {
        let gateway = try GatewayProcess(
            in: Setting.workspace(forms: ["memo": Setting.memo]), ["--set", "server.shutdownDelay=1500ms"])
        let start = ContinuousClock.now
        gateway.process.signal(SIGTERM)
        #expect(try gateway.process.wait() == .exit(0))
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
    }

    /// A mistake keeps everything as it was, and the log, a metric and the health check say so.
    @Test func aReloadWithAMistakeIsReported() throws {
        let workspace = try Setting.workspace(forms: ["memo": Setting.memo])
        let gateway = try GatewayProcess(in: workspace)
        func metrics() throws -> String { try gateway.admin("GET", "/metrics").bodyText }
        #expect(try metrics().contains("cloakroom_reload_successful 1\n"))
        try workspace.write(
            Setting.memo.replacing("{name: note}", with: "{name: note, typo: 1}"), to: "forms/memo.yaml")
        gateway.process.signal(SIGHUP)
        try gateway.waitForLog("configuration read again and refused")
        #expect(gateway.log.contains("typo"))
        #expect(try gateway.admin("GET", "/health/ready").bodyText.contains(#""outcome":"refused""#))
        try eventually("it is counted") {
            try metrics().contains("cloakroom_reloads_total{outcome=\"refused\"} 1\n")
        }
        #expect(try metrics().contains("cloakroom_reload_successful 0\n"))
        #expect(try gateway.post("/v1/forms/memo/validate", #"{"fields":{"note":"a"}}"#).status == 200)
        try workspace.write(Setting.memo, to: "forms/memo.yaml")
        gateway.process.signal(SIGHUP)
        try eventually("it is taken") { try metrics().contains("cloakroom_reload_successful 1\n") }
        #expect(try metrics().contains("cloakroom_reloads_total{outcome=\"taken\"} 1\n"))
    }
}
