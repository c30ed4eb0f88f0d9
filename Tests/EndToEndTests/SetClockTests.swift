import Foundation
import JSON
import ProcessTesting
import Testing

/// Sessions, guesses and limits while the machine's clock is set forward and back.
@Suite(.waits) struct SetClockTests {
    private static let form = """
        form: memo
        route: echo
        access: {validate: session, aliases: session, tokens: session, send: session}
        fields: [{name: note}]
        """

    @Test func forwardAndBack() throws {
        let base = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
            .replacing("server: {", with: "server: {rateLimit: {address: 60}, ")
        let workspace = try Setting.workspace(base, forms: ["memo": Self.form])
        let clock = try ShiftedClock(in: workspace)
        let gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        func session(_ body: String) throws -> [String: String] {
            let made = try gateway.post("/v1/sessions", body, as: .dev)
            #expect(made.status == 201, "\(made.bodyText)")
            return [
                "Authorization": "Bearer \(try #require(try made.json().string("session")))",
                "Content-Type": "application/json",
            ]
        }
        func use(_ session: [String: String]) throws -> String {
            let response = try gateway.request(
                "POST", "/v1/forms/memo/validate", session, body: #"{"fields":{"note":"x"}}"#)
            return response.status == 200
                ? "200" : try response.json().string("error", "userInfo", "extraInfo", "reason") ?? "-"
        }
        func expect(_ sessions: [[String: String]], _ outcomes: [String]) throws {
            let found = try sessions.map(use)
            #expect(found == outcomes)
        }
        let plain = try session(#"{"form":"memo","ttl":"15m"}"#)
        let counted = try session(#"{"form":"memo","ttl":"15m","maxRequests":1}"#)
        let ended = try session(#"{"form":"memo","ttl":"15m"}"#)
        #expect(try use(plain) == "200" && use(counted) == "200")
        #expect(try gateway.request("DELETE", "/v1/sessions/current", ended).status == 204)

        try clock.set(seconds: 14 * 60)
        try expect([plain, counted, ended], ["200", "usedUp", "notASession"])
        try clock.set(seconds: 16 * 60)
        try expect([plain, counted], ["expired", "expired"])
        // A day later what is known of them is forgotten, as they have expired; a session is made and taken by the new time.
        try clock.set(seconds: 86_400)
        let later = try session(#"{"form":"memo"}"#)
        #expect(try use(later) == "200")

        // Set back again: a session of the future is not taken, neither use nor end is forgotten, and nothing stands still.
        try clock.set(seconds: 60)
        try expect([plain, counted, ended], ["200", "usedUp", "notASession"])
        #expect(try use(later) != "200")
        try clock.set(seconds: -86_400)
        let past = try session(#"{"form":"memo"}"#)
        #expect(try use(past) == "200")
        // Limits go by a clock that is never set: the address has used some of its sixty, and gets the rest and not more.
        try clock.set(seconds: 3_600)
        let began = ContinuousClock.now
        var served = 0
        while served < 200, try gateway.request("GET", "/v1/forms").status == 200 { served += 1 }
        #expect(served < 60 + (ContinuousClock.now - began).components.seconds)
        #expect(try gateway.stop() == .exit(0))
    }

    /// What can't be taken back waits for real time: nothing is erased, and no request goes to its upstream once more.
    @Test func nothingIsErasedByAClockThatIsSetForwardAndBack() throws {
        let base =
            Setting.base + """
                retention: [{classifier: short, keep: 30d}]
                audit: {file: data/audit.log, maxBytes: 64KiB, keep: 30d}

                """
        let workspace = try Setting.workspace(base, forms: ["memo": Self.form])
        let clock = try ShiftedClock(in: workspace)
        var gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        let made = try gateway.vault(
            "POST", "/aliases",
            #"{"data":[{"value":"a","format":"UUID","ttl":"1d"},{"value":"b","format":"UUID","classifiers":["short"]}]}"#
        )
        let aliases = try made.json()["data"]?.array?.compactMap { $0["aliases"]?.array?.first?.string("alias") } ?? []
        #expect(aliases.count == 2)
        func send() throws -> Message {
            try gateway.request(
                "POST", "/v1/forms/memo/aliases",
                [
                    "Content-Type": "application/json", "Idempotency-Key": "order 17",
                    "Authorization": User.dev.authorization,
                ], body: #"{"fields":{"note":"x"}}"#)
        }
        let first = try send()
        #expect(first.status == 200 && first["Idempotency-Replayed"] == nil)
        try clock.set(seconds: 40 * 86_400)
        #expect(try gateway.vault("GET", "/aliases/\(aliases[0])").status == 404)
        let repeated = try send()
        #expect(repeated.status == 200 && repeated["Idempotency-Replayed"] == "true")
        // Longer than from one sweep to the next.
        usleep(16_500_000)
        try clock.set(seconds: 0)
        for alias in aliases { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 200) }
        #expect(try send()["Idempotency-Replayed"] == "true")
        #expect(try gateway.stop() == .exit(0))

        // At a start the clock is believed.
        try clock.set(seconds: 40 * 86_400)
        gateway = try GatewayProcess(in: workspace, environment: clock.environment)
        try eventually("both are erased") {
            workspace.read("data/audit.log").split(separator: "\n").count { $0.contains(#""event":"expire""#) } == 2
        }
        #expect(try gateway.stop() == .exit(0))
    }
}
