import Foundation
import JSON
import PostgresTesting
import ProcessTesting
import Testing

/// The search for the hidden digits of an alias (docs/reference/access.md section 4), with the real binary.
@Suite(.waits) struct GuessingTests {
    /// `vault.guessing.limit` by default.
    private static let limit = 20
    /// Tries beside; `GUESSES=100000` for the whole search.
    private static let tries = ProcessInfo.processInfo.environment["GUESSES"].flatMap { Int($0) } ?? 2_000

    private func workspace(_ vault: String) throws -> Workspace {
        let base = Setting.base.replacing(
            "vault: {sqlite: {path: data/vault.db}, masterKey: {file: data/master.key, generate: true}}",
            with: "vault: {\(vault), masterKey: {file: master.key}}\naudit: {file: data/audit.log}"
        ).replacing("server: {", with: "server: {proxyProtocol: true, ")
        let workspace = try Setting.workspace(base, forms: ["memo": Setting.memo])
        try workspace.write(String(repeating: "0123456789abcdef", count: 4), to: "master.key")
        chmod(workspace.path(of: "master.key"), 0o600)
        return workspace
    }

    /// Numbers that agree in the first six and the last four digits, each with its check (ISO/IEC 7812-1 annex B).
    private static func card(_ number: Int) -> String {
        // The digit after the six is the one that makes the sum right, whatever the other five are.
        let digits = String(number)
        let hidden = String(repeating: "0", count: 5 - digits.count) + digits
        for solved in 0..<10 {
            let text = "453960\(solved)\(hidden)4134"
            let sum = text.reversed().enumerated().reduce(0) { sum, place in
                let digit = place.element.wholeNumberValue ?? 0
                let doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2
                return sum + (place.offset % 2 == 0 ? digit : doubled)
            }
            if sum % 10 == 0 { return text }
        }
        return ""
    }

    /// A connection that says by the PROXY protocol where it comes from.
    private func connection(_ gateway: GatewayProcess, from address: String) throws -> Connection {
        let connection = try Connection(port: gateway.port)
        try connection.send("PROXY TCP4 \(address) 192.0.2.1 40000 8080\r\n")
        return connection
    }

    private func status(_ connection: Connection, of card: String) throws -> Int {
        let body = #"{"data":[{"value":"\#(card)","format":"FPE_SIX_T_FOUR"}]}"#
        try connection.send(
            "POST /aliases HTTP/1.1\r\nHost: a\r\nAuthorization: \(User.dev.authorization)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try connection.receive().status
    }

    /// Twenty values and no more, in turns at two gateways that share a vault; and none at a gateway that starts later.
    @Test func acrossProcesses() throws {
        let url = try PostgresServer.shared().database()
        let vault = "store: postgres, postgres: {url: \"\(url)\", pool: 4}"
        let gateways = [try GatewayProcess(in: workspace(vault)), try GatewayProcess(in: workspace(vault))]
        let connections = try gateways.map { try connection($0, from: "203.0.113.9") }
        var taken: [String] = []
        var next = 0
        func attempt(_ index: Int) throws -> Bool {
            let card = Self.card(next)
            next += 1
            guard try status(connections[index], of: card) == 201 else { return false }
            taken.append(card)
            return true
        }
        // Eighteen at the first; the second knows of them within a minute.
        for _ in 0..<18 { #expect(try attempt(0)) }
        let start = ContinuousClock.now
        while try attempt(1), taken.count < 60, ContinuousClock.now - start < .seconds(60) { usleep(2_500_000) }
        #expect(ContinuousClock.now - start < .seconds(60))
        // Each may have let pass what the other had not told yet: far fewer than a second twenty.
        #expect(taken.count < 26, "\(taken.count)")
        try eventually("the first knows as well") { try !attempt(0) }
        // There are 100,000 such numbers; one is left for the third gateway.
        for index in 0..<min(Self.tries, 99_999 - next) { #expect(try !attempt(index % 2)) }
        // What was submitted before is no new guess.
        for connection in connections { #expect(try status(connection, of: taken[3]) == 201) }
        let third = try GatewayProcess(in: workspace(vault))
        #expect(try status(connection(third, from: "203.0.113.9"), of: Self.card(next)) == 429)
        for gateway in gateways + [third] {
            #expect(try gateway.stop() == .exit(0))
            let events = gateway.workspace.read("data/audit.log").split(separator: "\n").filter {
                $0.contains(#""event":"guess""#)
            }
            #expect((1...3).contains(events.count), "\(events)")
            #expect(
                events.allSatisfy {
                    $0.contains(#""credential":"dev""#) && $0.contains(#""address":"203.0.113.9""#)
                })
            // Four digits may stand in a code by chance.
            #expect(!events.contains { $0.contains("453960") })
        }
    }

    /// A process keeps guesses over a restart, also one that it had no time for.
    @Test func overARestart() throws {
        let workspace = try workspace("sqlite: {path: data/vault.db}")
        let first = try GatewayProcess(in: workspace)
        let tries = try connection(first, from: "203.0.113.9")
        for number in 0..<Self.limit { #expect(try status(tries, of: Self.card(number)) == 201) }
        #expect(try status(tries, of: Self.card(50)) == 429)
        #expect(try first.stop() == .exit(0))
        let second = try GatewayProcess(in: workspace)
        #expect(try status(connection(second, from: "203.0.113.10"), of: Self.card(51)) == 429)
        let metrics = try second.admin("GET", "/metrics").bodyText
        #expect(metrics.contains("cloakroom_refused_guesses_total 1\n"))
        #expect(try second.stop() == .exit(0))
    }
}
