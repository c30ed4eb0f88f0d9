import Foundation
import JSON
import ProcessTesting
import Testing

/// Erasure by classifier (docs/reference/vault-api.md section 4).
@Suite(.waits) struct ErasureTests {
    private func create(_ range: Range<Int>, _ classifier: String, _ gateway: GatewayProcess) throws -> [String] {
        var aliases: [String] = []
        for first in stride(from: range.lowerBound, to: range.upperBound, by: 20) {
            let items = (first..<min(first + 20, range.upperBound)).map {
                #"{"value":"\#(classifier) \#($0)","format":"UUID","classifiers":["\#(classifier)"]}"#
            }
            let answer = try gateway.vault("POST", "/aliases", #"{"data":[\#(items.joined(separator: ","))]}"#)
            #expect(answer.status == 201)
            aliases +=
                try answer.json()["data"]?.array?.compactMap { $0["aliases"]?.array?.first?.string("alias") } ?? []
        }
        return aliases
    }

    private func erasure(_ id: String, _ gateway: GatewayProcess) throws -> JSONValue {
        try gateway.vault("GET", "/erasures/\(id)").json()
    }

    private func number(_ name: String, _ json: JSONValue) -> Int? {
        if case .number(let number)? = json[name] { number.int } else { nil }
    }

    @Test func allValuesWithAClassifierAreErased() throws {
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n"))
        let gone = try create(0..<45, "customer-17", gateway)
        let kept = try create(0..<5, "customer-18", gateway)
        let begun = try gateway.vault("POST", "/aliases/delete", #"{"classifier":"customer-17"}"#)
        #expect(begun.status == 202)
        let body = try begun.json()
        #expect(number("count", body) == 45)
        let id = try #require(body.string("erasure"))
        #expect(begun["Location"] == "/erasures/\(id)")
        try eventually("the erasure ends") { try erasure(id, gateway).string("status") == "done" }
        let done = try erasure(id, gateway)
        #expect(number("erased", done) == 45 && number("count", done) == 45 && number("damaged", done) == 0)
        for alias in gone.prefix(3) { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 404) }
        for alias in kept { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 200) }
        #expect(try gateway.vault("GET", "/erasures/\(id)", as: .reader).status == 403)
        #expect(try gateway.vault("GET", "/erasures/unknown").status == 404)
        #expect(try gateway.vault("POST", "/aliases/delete", #"{"classifier":"nothing has it"}"#).status == 202)
        #expect(try gateway.stop() == .exit(0))
    }

    /// A process that is killed meanwhile goes on after its next start.
    @Test func aKilledErasureGoesOn() throws {
        let workspace = try Setting.workspace(Setting.base + "audit: {file: data/audit.log}\n")
        var gateway = try GatewayProcess(in: workspace)
        let aliases = try create(0..<3_000, "customer-17", gateway)
        let begun = try gateway.vault("POST", "/aliases/delete", #"{"classifier":"customer-17"}"#).json()
        let id = try #require(begun.string("erasure"))
        gateway.process.signal(SIGKILL)
        _ = try gateway.process.wait()
        gateway = try GatewayProcess(in: workspace)
        try eventually("the erasure ends") { try erasure(id, gateway).string("status") == "done" }
        #expect(number("erased", try erasure(id, gateway)) == 3_000)
        for alias in aliases.suffix(3) { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 404) }
        #expect(try gateway.stop() == .exit(0))
        let log = workspace.read("data/audit.log").split(separator: "\n").filter { $0.contains(#""event":"erase""#) }
        #expect(log.count == 2, "\(log)")
        #expect(log.first?.contains(#""outcome":"begun""#) == true)
        #expect(log.last?.contains(#""credential":"dev","count":3000"#) == true)
    }
}
