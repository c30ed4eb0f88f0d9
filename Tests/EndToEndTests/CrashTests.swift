import Foundation
import JSON
import Synchronization
import Testing

/// What was answered with 2xx survives the end of the process without warning.
@Suite struct CrashTests {
    /// An alias that a client was told of, and the value behind it.
    private struct Acknowledged: Sendable {
        let alias: String
        let value: String
    }

    /// Creates aliases until the gateway is gone.
    private static func load(_ port: Int, _ client: Int, round: Int, into told: Told) throws {
        let connection = try Connection(port: port)
        var number = 0
        while true {
            number += 1
            let values = (0..<3).map { "r\(round)-c\(client)-n\(number)-\($0)" }
            let items = values.map { #"{"value":"\#($0)","format":"RAW_UUID"}"# }.joined(separator: ",")
            let body = #"{"data":[\#(items)]}"#
            try connection.send(
                "POST /aliases HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                    + "Authorization: \(User.dev.authorization)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let answer = try connection.receive()
            guard answer.status == 201 else { throw Trouble("\(answer.status): \(answer.bodyText)") }
            let stored = try answer.json()["data"]?.array ?? []
            guard stored.count == values.count else { throw Trouble("an item is missing") }
            for (item, value) in zip(stored, values) {
                guard let alias = item["aliases"]?.array?.first?.string("alias") else { throw Trouble("no alias") }
                told.add(Acknowledged(alias: alias, value: value))
            }
        }
    }

    private final class Told: Sendable {
        private let list = Mutex<[Acknowledged]>([])
        func add(_ alias: Acknowledged) { list.withLock { $0.append(alias) } }
        var all: [Acknowledged] { list.withLock { $0 } }
    }

    @Test func everyAcknowledgedAliasIsThereAfterSIGKILL() throws {
        let workspace = try Setting.workspace()
        let told = Told()
        for round in 0..<5 {
            let gateway = try GatewayProcess(in: workspace)
            let clients = 6
            let finished = DispatchSemaphore(value: 0)
            let before = told.all.count
            for client in 0..<clients {
                Thread.detachNewThread {
                    try? Self.load(gateway.port, client, round: round, into: told)
                    finished.signal()
                }
            }
            let enough = before + Int.random(in: 1...300)
            try eventually("the load gets going") { told.all.count >= enough }
            gateway.process.signal(SIGKILL)
            #expect(try gateway.process.wait() == .signal(SIGKILL))
            for _ in 0..<clients { finished.wait() }

            let restarted = try GatewayProcess(in: workspace)
            try expectAll(told.all, of: restarted)
            #expect(try restarted.stop() == .exit(0))
        }
    }

    private func expectAll(_ acknowledged: [Acknowledged], of gateway: GatewayProcess) throws {
        for start in stride(from: 0, to: acknowledged.count, by: 20) {
            let some = acknowledged[start..<min(start + 20, acknowledged.count)]
            let answer = try gateway.vault("GET", "/aliases?q=" + some.map(\.alias).joined(separator: ","))
            let data = try answer.json()["data"]
            #expect(answer.status == 200)
            for one in some { #expect(data?[one.alias]?.string("value") == one.value) }
        }
    }
}
