import Foundation
import JSON
import ProcessTesting
import Synchronization
import Testing

/// What was answered with 2xx survives the end of the process without warning.
@Suite(.waits) struct CrashTests {
    /// What clients were told, by all of them.
    private final class Told: Sendable {
        struct State {
            /// Aliases with the values behind them.
            var created: [(alias: String, value: String)] = []
            /// Aliases whose end was asked for, whether or not there was time to say that they are gone.
            var doomed: Set<String> = []
            var deleted: Set<String> = []
            /// What was wrong with a response; not that the connection ended.
            var troubles: [String] = []
        }

        private let state = Mutex(State())
        func note(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }
        var all: State { state.withLock { $0 } }
    }

    private static func request(_ method: String, _ target: String, _ body: String) -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Authorization: \(User.dev.authorization)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Creates aliases, and deletes one now and then, until the gateway is gone.
    private static func load(_ port: Int, _ client: Int, round: Int, into told: Told) throws {
        let connection = try Connection(port: port)
        var number = 0
        while true {
            number += 1
            let values = (0..<3).map { "r\(round)-c\(client)-n\(number)-\($0)" }
            let items = values.map { #"{"value":"\#($0)","format":"RAW_UUID"}"# }.joined(separator: ",")
            try connection.send(request("POST", "/aliases", #"{"data":[\#(items)]}"#))
            let answer = try connection.receive()
            guard answer.status == 201 else { throw Trouble("\(answer.status): \(answer.bodyText)") }
            let aliases = try (answer.json()["data"]?.array ?? [])
                .compactMap { $0["aliases"]?.array?.first?.string("alias") }
            guard aliases.count == values.count else { throw Trouble("an item is missing") }
            told.note { $0.created += zip(aliases, values).map { (alias: $0, value: $1) } }
            guard number.isMultiple(of: 3), let doomed = aliases.first else { continue }
            told.note { $0.doomed.insert(doomed) }
            try connection.send(request("DELETE", "/aliases/\(doomed)", ""))
            guard try connection.receive().status == 204 else { throw Trouble("it is not deleted") }
            told.note { $0.deleted.insert(doomed) }
        }
    }

    @Test func everyAcknowledgedAliasIsThereAfterSIGKILL() throws {
        let workspace = try Setting.workspace()
        let told = Told()
        for round in 0..<5 {
            let gateway = try GatewayProcess(in: workspace)
            let clients = 6
            let finished = DispatchSemaphore(value: 0)
            let before = told.all.created.count
            for client in 0..<clients {
                Thread.detachNewThread {
                    do { try Self.load(gateway.port, client, round: round, into: told) } catch let trouble as Trouble {
                        told.note { $0.troubles.append("\(trouble)") }
                    } catch {}
                    finished.signal()
                }
            }
            let enough = before + Int.random(in: 1...300)
            try eventually("the load gets going") { told.all.created.count >= enough }
            gateway.process.signal(SIGKILL)
            #expect(try gateway.process.wait() == .signal(SIGKILL))
            for _ in 0..<clients { finished.wait() }

            let restarted = try GatewayProcess(in: workspace)
            try expectAll(told.all, of: restarted)
            #expect(try restarted.stop() == .exit(0))
        }
        #expect(!told.all.deleted.isEmpty)
    }

    private func expectAll(_ told: Told.State, of gateway: GatewayProcess) throws {
        let kept = told.created.filter { !told.doomed.contains($0.alias) }
        for start in stride(from: 0, to: kept.count, by: 20) {
            let some = kept[start..<min(start + 20, kept.count)]
            let answer = try gateway.vault("GET", "/aliases?q=" + some.map(\.alias).joined(separator: ","))
            let data = try answer.json()["data"]
            #expect(answer.status == 200)
            for one in some { #expect(data?[one.alias]?.string("value") == one.value) }
        }
        for alias in told.deleted { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 404) }
    }
}
