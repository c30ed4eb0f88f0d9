import AuditLog
import AuditLogTesting
import FormSchema
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

    /// A value takes a place for each KiB of it and its classifiers, so that places bound the memory.
    @Test func largeValuesTakeMorePlaces() async throws {
        let gateway = try await GatewayFixture(volatileCapacity: 20)
        let large = #"{"value":"\#(String(repeating: "v", count: 4_097))","format":"UUID","storage":"VOLATILE"}"#
        let first = try #require(try await make([large], gateway).aliases.first?.first)
        #expect(places(gateway) == 5)
        let added = try await make([#"{"alias":"\#(first)","format":"RAW_UUID"}"#, Self.small], gateway).aliases
        #expect(places(gateway) == 7)
        #expect(try await make([large], gateway).status == 503)
        // The value's own places stay with it.
        #expect(try await gateway.call("DELETE /aliases/\(first)", [GatewayFixture.dev]).status == 204)
        #expect(places(gateway) == 6)
        let other = try #require(added.first?.last)
        let small = try #require(added.last?.first)
        func put(_ bytes: Int) async throws -> Int {
            let all = (0..<(bytes / 1_024)).map { #""\#($0)\#(String(repeating: "c", count: 1_023))""# }
            let json = #"{"data":{"classifiers":[\#(all.joined(separator: ","))]}}"#
            return try await gateway.call("PUT /aliases/\(small)", [GatewayFixture.dev], json: json).status
        }
        #expect(try await put(5 * 1_024) == 503)
        #expect(places(gateway) == 6)
        for bytes in [3, 0, 3, 2] { #expect(try await put(bytes * 1_024) == 204) }
        #expect(places(gateway) == 9)
        #expect(try await gateway.call("DELETE /aliases/\(other)", [GatewayFixture.dev]).status == 204)
        #expect(places(gateway) == 4)
        #expect(try await gateway.call("DELETE /aliases/\(small)", [GatewayFixture.dev]).status == 204)
        #expect(places(gateway) == 0)
    }

    @Test func strangersTakePlacesBySize() async throws {
        let gateway = try await GatewayFixture(
            form: "{form: note, access: {tokens: public}, fields: [{name: note, tokenization: {storage: VOLATILE}}]}",
            volatileCapacity: 1_000)
        let json = #"{"fields":{"note":"\#(String(repeating: "n", count: 50 * 1_024))"}}"#
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await gateway.call("POST /v1/forms/note/tokens", json: json).status) }
        #expect(statuses == [201, 201, 201, 201, 503, 503] && places(gateway) == 200)
        // What never has room is not to be tried again.
        let larger = #"{"fields":{"note":"\#(String(repeating: "n", count: 201 * 1_024))"}}"#
        let refused = try await gateway.call("POST /v1/forms/note/tokens", json: larger)
        #expect(refused.status == 400 && refused.body.contains("takes 201 places"))
    }

    @Test(arguments: [("POST /aliases", "value"), ("PUT /aliases/%", "alias")])
    func classifiersAreBounded(line: String, kind: String) async throws {
        let gateway = try await GatewayFixture()
        let alias = try #require(try await make([Self.small], gateway).aliases.first?.first)
        for (count, length, status) in [(100, 1_024, 2), (101, 2, 4), (1, 1_025, 4)] {
            let all = (0..<count).map { "\"\(100 + $0)\(String(repeating: "c", count: max(0, length - 3)))\"" }
            let list = "[\(all.joined(separator: ","))]"
            let json =
                kind == "alias"
                ? "{\"data\":{\"classifiers\":\(list)}}"
                : "{\"data\":[{\"value\":\"v\",\"format\":\"UUID\",\"classifiers\":\(list)}]}"
            let answer = try await gateway.call(line.replacing("%", with: alias), [GatewayFixture.dev], json: json)
            #expect(answer.status / 100 == status)
            if status == 4 {
                #expect(answer.status == 400 && answer.detail?.contains("at most 100 classifiers") == true)
            }
        }
    }

    /// Nothing that names a classifier takes an empty one: a value with it could not be erased, retained or reached by it.
    @Test func noClassifierIsEmpty() async throws {
        let gateway = try await GatewayFixture()
        let alias = try #require(try await make([Self.small], gateway).aliases.first?.first)
        for list in [#"[""]"#, #"["a",""]"#] {
            for (line, json, place) in [
                ("POST /aliases", #"{"data":[{"value":"v","format":"UUID","classifiers":\#(list)}]}"#, "data[0]: "),
                (
                    "POST /aliases",
                    #"{"data":[{"value":"v","format":"UUID","storage":"VOLATILE","classifiers":\#(list)}]}"#,
                    "data[0]: "
                ), ("PUT /aliases/\(alias)", #"{"data":{"classifiers":\#(list)}}"#, ""),
            ] {
                let answer = try await gateway.call(line, [GatewayFixture.dev], json: json)
                #expect(answer.status == 400)
                #expect(
                    answer.detail == place + "a value may have at most 100 classifiers, each of 1 to 1024 bytes",
                    "\(line)")
            }
        }
    }

    /// The loader of forms and routes knows the vault's limits without knowing the vault.
    @Test func theLoaderHasTheVaultsLimits() {
        #expect(DocumentReader.maximumClassifiers == Vault.classifiersPerValue)
        #expect(DocumentReader.maximumClassifierBytes == Vault.classifierBytes)
        for (length, isOne) in [(0, false), (1, true), (1_024, true), (1_025, false)] {
            #expect(DocumentReader.isClassifier(String(repeating: "c", count: length)) == isOne, "\(length)")
        }
    }
}
