import JSON
import Testing

@testable import EventHTTP
@testable import Gateway

/// Only what was meant goes out (docs/reference/proxy.md section 7).
@Suite struct BodyPlaceTests {
    private static let card = "4539600166594134"
    private let processor: StandIn

    init() throws {
        processor = try StandIn(json: #"{"ok":true}"#)
    }

    private func gateway(_ reveal: String) async throws -> GatewayFixture {
        var gateway = try await GatewayFixture(
            routes: routes(
                """
                {name: acquirer, kind: reveal, url: "\(processor.url)", allowPlaintext: true, methods: [POST], \
                reveal: {\(reveal)}}
                """))
        gateway.upstream = processor
        return gateway
    }

    private func alias(_ gateway: GatewayFixture, _ value: String, _ format: String) async throws -> String {
        let made = try await gateway.call(
            "POST /aliases", [GatewayFixture.dev], json: #"{"data":[{"value":"\#(value)","format":"\#(format)"}]}"#)
        let stored = made.json?.object?["data"]?.array?.first?.object?["aliases"]?.array?.first
        return try #require(stored?.object?["alias"]?.string)
    }

    private func send(
        _ gateway: GatewayFixture, _ body: String, type: String = "application/json"
    ) async throws -> GatewayFixture.Response {
        try await gateway.call(
            "POST /v1/routes/acquirer/charges", [GatewayFixture.dev, "Content-Type: \(type)"], body: body)
    }

    /// An alias of three digits is an amount as well.
    @Test func amountsStayWhatTheyAre() async throws {
        for (reveal, sent) in [("body: true", "ALIAS"), ("body: [/card/cvc]", "ALIAS"), ("body: [/amount]", "321")] {
            let gateway = try await gateway(reveal)
            let alias = try await alias(gateway, "321", "NUM_LENGTH_PRESERVING")
            #expect(try await send(gateway, #"{"amount":"\#(alias)"}"#).status == 200)
            #expect(
                processor.requests.last?.body == #"{"amount":"\#(sent)"}"#.replacing("ALIAS", with: alias), "\(reveal)")
        }
    }

    @Test(arguments: [
        ("RAW_UUID", true), ("UUID", true), ("VGS_FIXED_LEN_GENERIC", true), ("GENERIC_T_FOUR", true),
        ("FPE_SIX_T_FOUR", false), ("PFPT", false), ("ALPHANUMERIC_SIX_T_FOUR", false),
        ("NON_LUHN_FPE_ALPHANUMERIC", false),
    ])
    func withoutPointersTheShapeDecides(format: String, isLookedUp: Bool) async throws {
        for reveal in ["body: true", "body: require"] {
            let gateway = try await gateway(reveal)
            let alias = try await alias(gateway, Self.card, format)
            #expect(try await send(gateway, #"{"a":["\#(alias)"]}"#).status == 200)
            #expect(processor.requests.last?.body == #"{"a":["\#(isLookedUp ? Self.card : alias)"]}"#)
        }
    }

    @Test func pointersSayExactlyWhere() async throws {
        let gateway = try await gateway(#"body: [/card/number, "/items/*/pan", "/map/*", /list/1, "/a~1b"]"#)
        let alias = try await alias(gateway, Self.card, "FPE_SIX_T_FOUR")
        let token = try await self.alias(gateway, "s3cr3t", "UUID")
        let body = """
            {"card":{"number":"A","other":"A","deep":{"number":"A"}},"number":"A","items":[{"pan":"A"},{"pan":"T","x":"A"},"A"],\
            "map":{"x":"A","y":["A"]},"list":["A","A"],"a/b":"A","T":"T","note":"T"}
            """
        let sent = """
            {"card":{"number":"V","other":"A","deep":{"number":"A"}},"number":"A","items":[{"pan":"V"},{"pan":"S","x":"A"},"A"],\
            "map":{"x":"V","y":["A"]},"list":["A","V"],"a/b":"V","T":"T","note":"T"}
            """
        let written = { (text: String) in
            text.replacing("\"A\"", with: "\"\(alias)\"").replacing("\"T\"", with: "\"\(token)\"")
                .replacing("\"V\"", with: "\"\(Self.card)\"").replacing("\"S\"", with: "\"s3cr3t\"")
        }
        #expect(try await send(gateway, written(body)).status == 200)
        #expect(processor.requests.last?.body == written(sent))
    }

    @Test func formsGoByTheirNames() async throws {
        let gateway = try await gateway(#"body: [/pan, "/card[number]", /card/number]"#)
        let alias = try await alias(gateway, Self.card, "FPE_SIX_T_FOUR")
        let type = "application/x-www-form-urlencoded"
        #expect(
            try await send(gateway, "pan=A&card%5Bnumber%5D=A&card=A&x=A&pan=A".replacing("A", with: alias), type: type)
                .status == 200)
        let sent = "pan=V&card%5Bnumber%5D=V&card=A&x=A&pan=V"
        #expect(processor.requests.last?.body == sent.replacing("A", with: alias).replacing("V", with: Self.card))
    }

    @Test(arguments: ["body: [/a]", "body: require", "body: true, require: [/a]", "body: false, require: [/a]"])
    func whatCannotBeReadIsRefused(reveal: String) async throws {
        let gateway = try await gateway(reveal)
        #expect(try await send(gateway, "x", type: "text/plain").problem == "415/unsupportedMediaType")
        #expect(processor.requests.isEmpty)
    }

    /// A deleted alias in digits can't be told from a card number: where an alias must stand, it is refused.
    @Test(arguments: [
        "body: [/card/number], require: [/card/number]", "require: [/card/number]",
        "body: false, require: [/card/number]",
    ])
    func aDeletedAliasIsNotSentAsACard(reveal: String) async throws {
        let gateway = try await gateway(reveal)
        let alias = try await alias(gateway, Self.card, "FPE_SIX_T_FOUR")
        let body = #"{"card":{"number":"\#(alias)"}}"#
        #expect(try await send(gateway, body).status == 200)
        #expect(processor.requests.last?.body == #"{"card":{"number":"\#(Self.card)"}}"#)
        #expect(try await gateway.call("DELETE /aliases/\(alias)", [GatewayFixture.dev]).status == 204)
        let refused = try await send(gateway, body)
        #expect(refused.problem == "400/aliasRequired" && processor.requests.count == 1)
        #expect(refused.json?.object?["detail"]?.string?.contains("/card/number") == true)
        #expect(!refused.body.contains(alias))
    }

    @Test(arguments: [
        ("/a", "{}"), ("/a", #"{"a":1}"#), ("/a", #"{"a":["ALIAS"]}"#), ("/a", #"{"a":null,"b":"ALIAS"}"#),
        ("/a", "[]"), ("/a", ""),
        ("\"/a/*\"", #"{"a":[]}"#), ("\"/a/*\"", #"{"a":["ALIAS","4539600166594134"]}"#), ("/a", "\"ALIAS\""),
        ("\"/a/*/b\"", #"{"a":[{"b":"ALIAS"},{}]}"#), ("\"/a/*/b\"", #"{"a":{"x":{"b":"ALIAS"},"y":"ALIAS"}}"#),
    ])
    func anAliasMustStandThere(pointer: String, body: String) async throws {
        let gateway = try await gateway("require: [\(pointer)]")
        let alias = try await alias(gateway, "s3cr3t", "UUID")
        #expect(try await send(gateway, body.replacing("ALIAS", with: alias)).problem == "400/aliasRequired")
        #expect(processor.requests.isEmpty)
    }

    @Test func formsMustHaveThemToo() async throws {
        let gateway = try await gateway("require: [/pan]")
        let alias = try await alias(gateway, Self.card, "FPE_SIX_T_FOUR")
        let type = "application/x-www-form-urlencoded"
        #expect(try await send(gateway, "a=1&pan=\(alias)", type: type).status == 200)
        for body in ["a=1", "pan=1", "pan=\(alias)&pan=1", "pan=%zz", "pan"] {
            #expect(try await send(gateway, body, type: type).problem == "400/aliasRequired")
        }
        #expect(processor.requests.map(\.body) == ["a=1&pan=\(Self.card)"])
    }
}
