import Testing

@testable import Configuration
@testable import EventHTTP
@testable import Gateway

/// What a caller is told of a remote vault that fails (`docs/reference/proxy.md` sections 6 and 8): what happened to its values, and that
/// no upstream was called.
@Suite struct RemoteVaultFailureTests {
    private static let form = """
        form: checkout
        route: echo
        fields: [{name: card_number, type: cardNumber, isRequired: true, tokenization: {format: UUID}}]
        """
    private static let submission = #"{"fields":{"card_number":"4539 6001 6659 4134"}}"#
    private static let good =
        #"{"data":[{"value":"4539600166594134","aliases":[{"alias":"tok_1","format":"UUID"}],"classifiers":[]}]}"#

    private func gateway(_ vault: StandIn) async throws -> GatewayFixture {
        var gateway = try await GatewayFixture(
            form: Self.form, remote: RemoteVaultSettings(base: try BaseURL("\(vault.url)/base")))
        gateway.upstream = vault
        return gateway
    }

    /// As on `aliases`: the key of a send is free after those of the vault's refusals that may pass, and after no other.
    @Test(arguments: [
        (301, true), (400, true), (404, true), (409, true), (422, true), (500, true),
        (401, false), (403, false), (408, false), (425, false), (429, false), (503, false),
    ])
    func aSendKeepsWhatTheVaultRefused(_ status: Int, isKept: Bool) async throws {
        let count = Counter()
        let vault = try StandIn { _ in
            count.add()
            return count.value == 1 ? .json("{}", status: status) : .json(Self.good)
        }
        let gateway = try await gateway(vault)
        var statuses: [Int] = []
        for _ in 0..<2 {
            let answer = try await gateway.call(
                "POST /v1/forms/checkout/send/a", ["Idempotency-Key: k"], json: Self.submission)
            statuses.append(answer.status)
        }
        #expect(statuses == [502, isKept ? 502 : 200])
        #expect(vault.requests.count == (isKept ? 1 : 2))
    }

    @Test(arguments: [(400, "nothing was sent"), (503, "nothing was sent"), (500, "may have stored the values")])
    func aRefusalSaysWhatMayHaveHappened(_ status: Int, text: String) async throws {
        let gateway = try await gateway(StandIn { _ in .json("{}", status: status) })
        let answer = try await gateway.call("POST /v1/forms/checkout/send/a", json: Self.submission)
        #expect(answer.problem == "502/vaultRefused" && answer.body.contains(text), "\(answer.body)")
    }

    /// A caller that reads that the request may have reached "the upstream" takes a charge for possible.
    @Test(arguments: [
        ClientError.timedOut, .bodyTimedOut, .networkConnectionLost, .secureConnectionBroken(reason: "r"),
        .badServerResponse,
        .unexpectedResponseType,
    ])
    func aBrokenExchangeNamesTheVault(_ error: ClientError) {
        let (vault, upstream) = (
            Problem(.remoteVault(CallError(error), mayHaveStored: true)), Problem(CallError(error))
        )
        #expect((vault.status, vault.type, vault.code) == (upstream.status, upstream.type, upstream.code))
        #expect(vault.title.contains("remote vault") && !vault.title.contains("upstream"))
        #expect(vault.detail.contains("it may have stored the values; nothing was sent to an upstream"))
        #expect(upstream.detail.contains("the upstream") && upstream.detail.contains("the request may have reached it"))
    }

    @Test(arguments: [
        ClientError.connectTimedOut, .cannotFindHost, .cannotConnectToHost, .secureConnectionFailed(reason: "r"),
        .overloaded,
    ])
    func aVaultThatWasNotReachedIsNamed(_ error: ClientError) {
        let problem = Problem(.remoteVault(CallError(error), mayHaveStored: false))
        #expect(problem.detail.lowercased().contains("remote vault") && !problem.detail.contains("upstream"))
        #expect(!problem.detail.contains("may have"))
    }

    @Test func aVaultThatIsNotThere() async throws {
        let settings = RemoteVaultSettings(base: try BaseURL("http://127.0.0.1:1"))
        let gateway = try await GatewayFixture(form: Self.form, remote: settings)
        let answer = try await gateway.call("POST /v1/forms/checkout/send/a", json: Self.submission)
        #expect(answer.problem == "-1004/cannotConnectToHost")
        #expect(answer.body.contains(#""detail":"The remote vault cannot be reached""#))
    }

    /// Without it the caller would take coded bytes for JSON.
    @Test func theCodingOfARefusalIsPassedOn() async throws {
        let gateway = try await gateway(
            StandIn { _ in
                ServerResponse(
                    status: 400, headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                    body: [0x1f, 0x8b])
            })
        let answer = try await gateway.call("POST /v1/forms/checkout/tokens", json: Self.submission)
        #expect(answer.status == 400 && answer["Content-Encoding"] == "gzip")
    }
}
