import AuditLog
import AuditLogTesting
import Foundation
import JSON
import Testing
import Vault
import VaultTesting

@testable import Gateway

/// The places that VOLATILE values and their aliases take of their caller's share (docs/reference/access.md section 4).
@Suite struct VolatilePlaceTests {
    /// A request of the credential `dev`, and the aliases of each item of its response.
    private func make(
        _ items: [String], _ gateway: GatewayFixture, by caller: String = GatewayFixture.dev
    ) async throws -> (status: Int, aliases: [[String]]) {
        let json = #"{"data":[\#(items.joined(separator: ","))]}"#
        let answer = try await gateway.call("POST /aliases", [caller], json: json)
        let data = answer.json?.object?["data"]?.array ?? []
        return (
            answer.status,
            data.map { item in
                (item.object?["aliases"]?.array ?? []).compactMap { $0.object?["alias"]?.string }
            }
        )
    }

    private func places(_ gateway: GatewayFixture) -> Int? {
        var metrics = MetricsText()
        gateway.telemetry.write(into: &metrics)
        let line = metrics.text.split(separator: "\n").first { $0.hasPrefix("cloakroom_volatile_places ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    private static let small = #"{"value":"v","format":"UUID","storage":"VOLATILE"}"#

    /// Several references to one value in one request make an alias each, and all of them are in the response to each.
    @Test func everyReferenceOfARequestTakesAPlace() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 40)
        var known = try #require(try await make([Self.small], gateway).aliases.first)
        for round in 0..<40 {
            let some = known.suffix(3).map { #"{"alias":"\#($0)","format":"RAW_UUID"}"# }
            let made = try await make(some, gateway)
            guard made.status == 201 else { break }
            let all = try #require(made.aliases.first)
            #expect(made.aliases.allSatisfy { $0 == all } && all.count == known.count + some.count, "round \(round)")
            known = all
            #expect(places(gateway) == known.count)
        }
        #expect((17...20).contains(known.count))
        // There is room for others.
        #expect(try await make([Self.small], gateway, by: GatewayFixture.writer).status == 201)
        #expect(try await gateway.call("DELETE /aliases/\(known[1])", [GatewayFixture.dev]).status == 204)
        #expect(places(gateway) == known.count)
        await gateway.audit.log.close()
        let lines = try String(contentsOfFile: gateway.audit.path, encoding: .utf8).split(separator: "\n")
        let counts = lines.compactMap { line -> Int? in
            guard let event = (try? JSONValue.parse(Array(line.utf8)))?.object, event["event"]?.string == "create",
                event["outcome"]?.string == "done", let aliases = event["aliases"]?.array
            else { return nil }
            guard case .number(let count)? = event["count"] else { return nil }
            #expect(count.text == "\(aliases.count)")
            return aliases.count
        }
        #expect(counts.prefix(3) == [1, 1, 2] && counts.allSatisfy { $0 <= 3 })
        #expect(counts.reduce(0, +) == known.count + 1)
    }
}
