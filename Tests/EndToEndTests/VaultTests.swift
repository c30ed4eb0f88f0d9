import JSON
import ProcessTesting
import Testing

/// What servers with a credential do with aliases (docs/reference/vault-api.md sections 2 and 5).
@Suite(.waits) struct VaultTests {
    private let gateway: GatewayProcess

    init() throws { gateway = try Setting.shared.get() }

    /// Creates one alias and returns it.
    private func create(_ value: String, _ format: String, storage: String = "PERSISTENT") throws -> String {
        let answer = try gateway.vault(
            "POST", "/aliases", #"{"data":[{"value":"\#(value)","format":"\#(format)","storage":"\#(storage)"}]}"#)
        #expect(answer.status == 201)
        let stored = try #require(answer.json()["data"]?.array?.first)
        return try #require(stored["aliases"]?.array?.first?.string("alias"))
    }

    @Test(arguments: ["/aliases", "/tokens"])
    func theWorkedExample(_ target: String) throws {
        let answer = try gateway.vault(
            "POST", target,
            """
            {"data":[{"value":"4539600166594134","format":"FPE_SIX_T_FOUR"},
              {"value":"321","format":"UUID","storage":"VOLATILE"}]}
            """)
        #expect(answer.status == 201 && answer["Content-Type"] == "application/json" && answer["X-Request-Id"] != nil)
        let json = try answer.json()
        let stored = try #require(json["data"]?.array)
        try #require(stored.count == 2)
        let card = try #require(stored[0]["aliases"]?.array?.first?.string("alias"))
        let code = try #require(stored[1]["aliases"]?.array?.first?.string("alias"))
        #expect(card.hasPrefix("453960") && card.hasSuffix("4134") && card.count == 16 && card != "4539600166594134")
        #expect(code.hasPrefix("tok_sandbox_"))
        let times = stored.map { $0.string("created_at") ?? "" }
        try expect(
            json,
            equals: """
                {"data":[{"value":"4539600166594134","classifiers":[],
                  "aliases":[{"alias":"\(card)","format":"FPE_SIX_T_FOUR"}],
                  "created_at":"\(times[0])","storage":"PERSISTENT"},
                 {"value":"321","classifiers":[],"aliases":[{"alias":"\(code)","format":"UUID"}],
                  "created_at":"\(times[1])","storage":"VOLATILE"}]}
                """)

        for name in ["q", "aliases"] {
            let several = try gateway.vault("GET", "/aliases?\(name)=\(card),\(code),\(card)")
            #expect(several.status == 200)
            try expect(
                several.json(),
                equals: #"{"data":{"\#(card)":\#(stored[0].text),"\#(code)":\#(stored[1].text)}}"#)
        }
        let encoded = try gateway.vault("GET", "/aliases?q=\(card)%2C\(code)")
        #expect(try encoded.json()["data"]?.object?.members.map(\.key) == [card, code])
        try expect(gateway.vault("GET", "/aliases/\(card)").json(), equals: #"{"data":[\#(stored[0].text)]}"#)
        #expect(try gateway.vault("GET", "/aliases/\(card)?storage=PERSISTENT").status == 200)
        #expect(try gateway.vault("GET", "/aliases/\(card)?storage=VOLATILE").status == 404)
        #expect(try gateway.vault("GET", "/aliases?q=\(card),\(code)&storage=VOLATILE").status == 404)
        let head = try gateway.vault("HEAD", "/aliases/\(card)")
        #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"].flatMap { Int($0) } ?? 0 > 0)
    }

    @Test func theSameValueHasTheSameAliasUnlessItIsVolatile() throws {
        let first = try create("reused", "UUID")
        #expect(try create("reused", "UUID") == first)
        #expect(try create("reused", "RAW_UUID") != first)
        #expect(try create("reuseD", "UUID") != first)
        #expect(try create("fleeting", "UUID", storage: "VOLATILE") != create("fleeting", "UUID", storage: "VOLATILE"))
    }

    @Test func withoutReuseEveryItemIsNew() throws {
        let own = try GatewayProcess(in: Setting.workspace(), ["--set", "vault.reuse=false"])
        let item = #"{"value":"twice","format":"UUID"}"#
        let answer = try own.vault("POST", "/aliases", #"{"data":[\#(item),\#(item)]}"#)
        let aliases = try answer.json()["data"]?.array?.compactMap { $0["aliases"]?.array?.first?.string("alias") }
        #expect(Set(aliases ?? []).count == 2)
    }

    @Test func anEmptyValueIsAnsweredButNotStored() throws {
        let answer = try gateway.vault("POST", "/aliases", #"{"data":[{"value":"","format":"UUID"}]}"#)
        #expect(answer.status == 201)
        let stored = try #require(answer.json()["data"]?.array?.first)
        #expect(stored.string("value") == "" && stored["aliases"]?.text == "[]")
    }

    @Test func aReferenceAddsAnAliasToTheSameValue() throws {
        let first = try create("referenced", "UUID")
        let answer = try gateway.vault("POST", "/aliases", #"{"data":[{"alias":"\#(first)","format":"RAW_UUID"}]}"#)
        #expect(answer.status == 201)
        let stored = try #require(answer.json()["data"]?.array?.first)
        #expect(stored.string("value") == "referenced")
        let aliases = stored["aliases"]?.array ?? []
        #expect(aliases.map { $0.string("format") } == ["UUID", "RAW_UUID"])
        #expect(aliases.first?.string("alias") == first)
        let second = try #require(aliases.last?.string("alias"))
        #expect(try gateway.vault("GET", "/aliases/\(second)").json()["data"]?.array?.first?.text == stored.text)

        let again = try gateway.vault("POST", "/aliases", #"{"data":[{"alias":"\#(second)","format":"UUID"}]}"#)
        #expect(try again.json()["data"]?.array?.first?["aliases"]?.text == stored["aliases"]?.text)
        let wrong = #"{"data":[{"alias":"\#(first)","format":"PFPT","storage":"VOLATILE"}]}"#
        #expect(try gateway.vault("POST", "/aliases", wrong).status / 100 == 4)
    }

    @Test func theValueGoesWithItsLastAlias() throws {
        let first = try create("mortal", "UUID")
        let second = try create("mortal", "RAW_UUID")
        let deleted = try gateway.vault("DELETE", "/aliases/\(first)")
        #expect(deleted.status == 204 && deleted.body.isEmpty)
        #expect(try gateway.vault("DELETE", "/aliases/\(first)").status == 404)
        #expect(try gateway.vault("GET", "/aliases/\(first)").status == 404)
        let left = try gateway.vault("GET", "/aliases/\(second)").json()["data"]?.array?.first
        #expect(left?["aliases"]?.array?.compactMap { $0.string("alias") } == [second])
        #expect(try gateway.vault("DELETE", "/aliases/\(second)").status == 204)
        #expect(try create("mortal", "RAW_UUID") != second)
    }

    @Test func severalAreDeletedTogetherOrNotAtAll() throws {
        let aliases = [try create("many-1", "UUID"), try create("many-2", "UUID", storage: "VOLATILE")]
        let list = aliases.map { "\"\($0)\"" }.joined(separator: ",")
        let failed = try gateway.vault("POST", "/aliases/delete", #"{"data":[\#(list),"tok_sandbox_unknown"]}"#)
        #expect(failed.status == 404)
        #expect(try gateway.vault("GET", "/aliases?q=\(aliases.joined(separator: ","))").status == 200)
        let narrowed = #"{"data":[\#(list)],"storage":"VOLATILE"}"#
        #expect(try gateway.vault("POST", "/aliases/delete", narrowed).status == 404)
        #expect(try gateway.vault("POST", "/aliases/delete", #"{"data":[\#(list)]}"#).status == 204)
        for alias in aliases { #expect(try gateway.vault("GET", "/aliases/\(alias)").status == 404) }
    }

    @Test func classifiersAreReplacedAndAddedByReuse() throws {
        let alias = try create("classified", "UUID")
        func classifiers() throws -> String? {
            try gateway.vault("GET", "/aliases/\(alias)").json()["data"]?.array?.first?["classifiers"]?.text
        }
        let body = #"{"data":{"classifiers":["pii","name"]}}"#
        let answer = try gateway.vault("PUT", "/aliases/\(alias)", body)
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(try classifiers() == #"["pii","name"]"#)
        let more = #"{"data":[{"value":"classified","format":"UUID","classifiers":["name","extra"]}]}"#
        #expect(try gateway.vault("POST", "/aliases", more).status == 201)
        #expect(try classifiers() == #"["pii","name","extra"]"#)
        #expect(try gateway.vault("PUT", "/aliases/\(alias)", #"{"data":{"classifiers":[]}}"#).status == 204)
        #expect(try classifiers() == "[]")
    }

    @Test func severalAliasesAreRevealedTogetherOrNotAtAll() throws {
        let alias = try create("whole", "UUID")
        let answer = try gateway.vault("GET", "/aliases?q=tok_sandbox_one,\(alias),tok_sandbox_two")
        #expect(answer.status == 404 && !answer.bodyText.contains("whole"))
        let href = "http://127.0.0.1:\(gateway.port)/aliases"
        try expect(
            answer.json(),
            equals: """
                {"requestId":"\(answer["X-Request-Id"] ?? "")","type":"urn:cloakroom:problem:notFound",
                 "detail":"Unknown alias: tok_sandbox_one; Unknown alias: tok_sandbox_two",
                 "errors":[
                  {"status":404,"title":"Not found","detail":"Unknown alias: tok_sandbox_one","href":"\(href)"},
                  {"status":404,"title":"Not found","detail":"Unknown alias: tok_sandbox_two","href":"\(href)"}]}
                """)
    }

    /// One bad item refuses the others; a restart keeps what is persistent and forgets what is volatile.
    @Test func allOrNothingAndAcrossARestart() throws {
        let workspace = try Setting.workspace()
        var own = try GatewayProcess(in: workspace)
        let bad = #"{"data":[{"value":"good","format":"UUID"},{"value":"12","format":"FPE_SIX_T_FOUR"}]}"#
        let refused = try own.vault("POST", "/aliases", bad)
        #expect(refused.status == 400 && refused.bodyText.contains("data[1]"))
        #expect(refused.bodyText.contains("value does not fit format FPE_SIX_T_FOUR"))
        let made = try own.vault(
            "POST", "/aliases",
            """
            {"data":[{"value":"kept","format":"UUID"},{"value":"lost","format":"UUID","storage":"VOLATILE"}]}
            """)
        let aliases = try made.json()["data"]?.array?.compactMap { $0["aliases"]?.array?.first?.string("alias") } ?? []
        try #require(aliases.count == 2)
        #expect(try own.admin("GET", "/metrics").bodyText.contains("cloakroom_volatile_aliases 1"))
        #expect(try own.stop() == .exit(0))
        own = try GatewayProcess(in: workspace)
        let kept = try own.vault("GET", "/aliases/\(aliases[0])").json()["data"]?.array?.first
        #expect(kept?.string("value") == "kept")
        #expect(try own.vault("GET", "/aliases/\(aliases[1])").status == 404)
    }

    @Test func aVolatileAliasIsUnknownOnceItsTimeIsUp() throws {
        let own = try GatewayProcess(in: Setting.workspace(), ["--set", "vault.volatile.ttl=50ms"])
        let made = try own.vault(
            "POST", "/aliases", #"{"data":[{"value":"321","format":"UUID","storage":"VOLATILE"}]}"#)
        let alias = try #require(made.json()["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
        try eventually("the alias expires") { try own.vault("GET", "/aliases/\(alias)").status == 404 }
    }
}
