import CloakroomClient
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The client library against the real gateway, and against servers that misbehave.
@Suite(.waits) struct SwiftClientTests {
    private static let card: Submission = [
        "card_number": "4111 1111 1111 1111", "card_holder": "Joe Business", "exp_date": "12/30", "cvc": "123",
    ]

    private func client(
        _ port: Int, as credential: Cloakroom.Credential? = nil, retries: RetryPolicy = .standard
    ) throws -> Cloakroom {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        return Cloakroom(gateway: url, credential: credential, retries: retries)
    }

    // MARK: The gateway

    @Test func formsAndStates() async throws {
        let cloakroom = try client(try Setting.shared.get().port)
        #expect(try await cloakroom.forms().contains { $0.form == "checkout" && $0.title == "Card payment" })
        let form = try await cloakroom.form("checkout")
        #expect(form.fields.map(\.fieldName) == ["card_number", "card_holder", "exp_date", "cvc"])
        #expect(form.fields.map(\.enterKeyHint) == ["next", "next", "next", "done"])
        #expect(form.fields.map(\.inputDateFormat) == [nil, nil, "shortYear", nil])
        let state = try await cloakroom.validate("checkout", ["card_number": "4111 1111 1111 1111"])
        #expect(state.nextField == "card_holder" && state.fields["card_number"]?.cardBrand == "visa")
    }

    /// What it takes to draw a field and to read what was typed.
    @Test func masksAndFiles() async throws {
        let form = """
            form: paper
            fields:
              - {name: code, mask: [{pattern: "[a-z]", case: upper}, "-", {pattern: "[0-9]"}]}
              - {name: born, type: date, inputDateFormat: ddmmyyyy, outputDateFormat: yyyymmdd}
              - {name: scan, type: file, file: {maxBytes: 500, contentTypes: [application/pdf]}}
            """
        let gateway = try GatewayProcess(in: Setting.workspace(Setting.base, forms: ["paper": form]))
        let fields = try await client(gateway.port).form("paper").fields
        #expect(
            fields[0].mask == [
                .slot(pattern: "[a-z]", changesCase: "upper"), .literal("-"),
                .slot(pattern: "[0-9]", changesCase: nil),
            ])
        #expect(fields[1].inputDateFormat == "ddmmyyyy" && fields[1].outputDateFormat == "yyyymmdd")
        #expect(fields[2].file?.maxBytes == 500 && fields[2].file?.contentTypes == ["application/pdf"])
        #expect(fields[2].mask == nil && fields[0].file == nil)
    }

    @Test(arguments: [Cloakroom.Credential.basic(username: "dev", secret: "dev-secret"), .bearer("dev-secret")])
    func aliases(_ credential: Cloakroom.Credential) async throws {
        let made = try await client(try Setting.shared.get().port, as: credential).aliases("checkout", Self.card)
        #expect(
            made.aliases.map(\.fieldName) == ["card_number", "cvc"] && made.aliases.map(\.storage).last == "VOLATILE")
        #expect(made.data["card_number"]?.hasPrefix("411111") == true && made.data["card_holder"] == "Joe Business")
    }

    @Test func aSendReturnsWhatTheUpstreamGot() async throws {
        var submission = Self.card
        submission.extraData = ["order": 17]
        let response = try await client(try Setting.shared.get().port).send("checkout", to: "orders/a b", submission)
        guard case .object(let body) = try response.json() else { throw Trouble("no object") }
        #expect(response.status == 200 && body["order"] == 17 && response.requestID != nil)
        #expect(response.headers["content-type"] == "application/json")
    }

    @Test func whatIsRefusedIsAProblemWithStates() async throws {
        let cloakroom = try client(
            try Setting.shared.get().port, as: .basic(username: "dev", secret: "dev-secret"))
        let error = await #expect(throws: CloakroomError.self) {
            _ = try await cloakroom.aliases("checkout", ["card_number": "4111"])
        }
        #expect(error?.status == 422 && error?.problem?.error.code == 1001 && error?.requestID != nil)
        #expect(error?.problem?.fields?["card_number"]?.validationErrors.first == "CARD_NUMBER_VALIDATION_ERROR")
        #expect(error?.description.contains("4111") == false)
        let unknown = await #expect(throws: CloakroomError.self) { _ = try await cloakroom.form("no such") }
        #expect(unknown?.problem?.error.type == "notFound")
        let stranger = await #expect(throws: CloakroomError.self) {
            _ = try await client(try Setting.shared.get().port, retries: .never).aliases("checkout", Self.card)
        }
        #expect(stranger?.problem?.error.code == 1300)
    }

    @Test func aRepetitionUnderAKeyHasOneEffect() async throws {
        let cloakroom = try client(
            try Setting.shared.get().port, as: .basic(username: "dev", secret: "dev-secret"))
        let key = IdempotencyKey()
        let memo: Submission = ["note": "x", "secret": "one"]
        let first = try await cloakroom.aliases("memo", memo, idempotencyKey: key)
        #expect(try await cloakroom.aliases("memo", memo, idempotencyKey: key).aliases == first.aliases)
        let other = await #expect(throws: CloakroomError.self) {
            _ = try await cloakroom.aliases("memo", ["secret": "another"], idempotencyKey: key)
        }
        #expect(other?.status == 422)
    }

    /// A backend asks for a session with its credential; an app uses it until it is ended.
    @Test func aSessionIsMadeUsedAndEnded() async throws {
        let configuration = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let memo = Setting.memo + "\naccess: {aliases: session}"
        let gateway = try GatewayProcess(in: Setting.workspace(configuration, forms: ["memo": memo]))
        let wish = SessionRequest(form: "memo", operations: ["aliases"], ttl: "5m")
        let session = try await client(gateway.port, as: .basic(username: "dev", secret: "dev-secret")).makeSession(
            wish)
        #expect(session.form == "memo" && session.operations == ["aliases"])
        let app = try client(gateway.port, as: .bearer(session.session), retries: .never)
        #expect(try await app.aliases("memo", ["secret": "one"]).aliases.count == 1)
        try await app.endSession()
        let error = await #expect(throws: CloakroomError.self) {
            _ = try await app.aliases("memo", ["secret": "one"])
        }
        #expect(error?.status == 401 && error?.problem?.error.code == 1300)
    }

    @Test func submissionsPrintNothing() {
        var text = ""
        dump(Self.card, to: &text)
        #expect("\(Self.card)" == "[redacted]" && String(reflecting: Self.card) == "[redacted]")
        #expect(!text.contains("4111"))
    }

    // MARK: Servers that misbehave

    private static let busy = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
    private static let created =
        "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n{\"data\":{},\"aliases\":[]} "

    /// The n-th request of all connections gets the n-th of these; an empty text closes the connection.
    private func server(_ responses: [String]) throws -> Upstream {
        try Upstream { upstream, connection in
            while true {
                _ = try upstream.receive(connection)
                let text = responses[min(upstream.requests.count, responses.count) - 1]
                if text.isEmpty { return }
                try connection.send(text)
            }
        }
    }

    private static let policy = RetryPolicy(attempts: 3, pause: 0.01, longestPause: 1)

    /// What is repeated, and what is not.
    @Test(arguments: [
        ([busy, created], IdempotencyKey("k"), 2), ([busy, created], nil, 1), ([busy, busy, busy, created], "k", 3),
        (["", created], "k", 2), (["", created], nil, 1),
        (["HTTP/1.1 409 Conflict\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n", created], "k", 2),
        (["HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n", created], "k", 1),
        (
            [
                "HTTP/1.1 409 Conflict\r\nRetry-After: 0\r\nCloakroom-Upstream-Status: 409\r\nContent-Length: 0\r\n\r\n",
                created,
            ], "k", 1
        ),
        (["HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n", created], "k", 1),
    ])
    func repetitions(_ responses: [String], _ key: IdempotencyKey?, _ requests: Int) async throws {
        let server = try server(responses)
        let cloakroom = try client(server.port, retries: Self.policy)
        let outcome = await Task { try await cloakroom.tokens("memo", ["note": "x"], idempotencyKey: key) }.result
        #expect(server.requests.count == requests)
        #expect(((try? outcome.get()) != nil) == (responses.prefix(requests).last == Self.created))
    }

    /// What was typed goes to the gateway alone, whatever a response names, and the caller sees the redirect.
    @Test(arguments: [301, 302, 303, 307, 308]) func noRedirectIsFollowed(_ status: Int) async throws {
        let server = try server([
            """
            HTTP/1.1 \(status) Elsewhere\r\nLocation: /elsewhere\r\nCloakroom-Upstream-Status: \(status)\r\nContent-Length: 0\r\n\r\n
            """, Self.created,
        ])
        let cloakroom = try client(server.port, as: .bearer("secret"), retries: Self.policy)
        let response = try await cloakroom.send("memo", to: "", ["note": "x"], idempotencyKey: "k")
        #expect(response.status == status && response.headers["location"] == "/elsewhere")
        let other = try self.server([
            "HTTP/1.1 \(status) Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n", Self.created,
        ])
        let error = await #expect(throws: CloakroomError.self) {
            _ = try await client(other.port).aliases("memo", ["note": "x"])
        }
        #expect(error?.kind == .unreadable && error?.status == status)
        #expect(server.requests.count == 1 && other.requests.count == 1)
    }

    /// What could reach another form, or add a header, is not sent at all.
    @Test(
        arguments: [
            ("../other", [:], nil), ("a/./b", [:], nil), ("a", ["X-Note": "1\r\nX-Other: 2"], nil),
            ("a", [:], "k\r\nX-Other: 2"), ("a", [:], ""), ("a", [:], " k"), ("a", [:], "clé"),
            ("a", [:], IdempotencyKey(String(repeating: "k", count: 256))),
            ("a", ["idempotency-key": ""], nil), ("a", ["Idempotency-Key": "k"], "k"),
            ("a", ["Idempotency-Key": "k", "idempotency-key": "k"], nil), ("a", ["X-Note": "1", "x-note": "2"], nil),
            ("a", ["content-type": "text/plain"], nil), ("a", ["Content-Length": "0"], nil),
            ("a", ["X Note": "1"], nil),
            ("a", ["Host": "other.example"], nil), ("a", ["": "1"], nil), ("a", ["authorization": "Basic eDp5"], nil),
        ] as [(String, [String: String], IdempotencyKey?)])
    func whatWouldBeAnotherRequestIsNotSent(
        _ path: String, _ headers: [String: String], _ key: IdempotencyKey?
    ) async throws {
        let server = try server([Self.created])
        let cloakroom = try client(server.port, as: .bearer("secret"), retries: .never)
        let error = await #expect(throws: CloakroomError.self) {
            _ = try await cloakroom.send("memo", to: path, ["note": "x"], headers: headers, idempotencyKey: key)
        }
        let other = await #expect(throws: CloakroomError.self) { _ = try await cloakroom.form("..") }
        #expect(error?.kind == .malformedRequest && other?.kind == .malformedRequest && server.requests.isEmpty)
    }

    /// A key among the headers protects as one that is given as such does: it is sent, and allows repetitions.
    @Test(arguments: ["Idempotency-Key", "idempotency-key"]) func aKeyAmongTheHeadersIsOne(_ name: String) async throws
    {
        let server = try server(["", Self.busy, Self.created])
        let cloakroom = try client(server.port, retries: Self.policy)
        let headers = [name: "order-17", "X-Note": "1", "Authorization": "Basic eDp5"]
        let response = try await cloakroom.send("memo", to: "", ["note": "x"], headers: headers)
        #expect(response.status == 201 && server.requests.count == 3)
        for request in server.requests {
            #expect(request["Idempotency-Key"] == "order-17" && request["X-Note"] == "1")
            #expect(request["Authorization"] == "Basic eDp5" && request["Content-Type"] == "application/json")
        }
    }

    /// A page to log in is none of the upstream.
    @Test func aSendTakesNothingFromInBetween() async throws {
        let server = try server(["HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nhi\n"])
        let error = await #expect(throws: CloakroomError.self) {
            _ = try await client(server.port).send("memo", to: "", ["note": "x"])
        }
        #expect(error?.kind == .unreadable && error?.status == 200)
    }

    /// A session that is gone at the second try was ended by the first, whose response was lost; at the first try it was none.
    @Test(arguments: [([""], true), ([], false), ([busy], false)])
    func theEndOfASessionMayBeAskedForAgain(_ first: [String], _ hasEnded: Bool) async throws {
        let server = try server(first + ["HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"])
        let app = try client(server.port, as: .bearer("session"), retries: Self.policy)
        let outcome = await Task { try await app.endSession() }.result
        #expect(((try? outcome.get()) != nil) == hasEnded && server.requests.count == first.count + 1)
    }

    @Test func aCancelledCallEnds() async throws {
        let server = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            Thread.sleep(forTimeInterval: 60)
        }
        let cloakroom = try client(server.port)
        let call = Task { try await cloakroom.forms() }
        while server.requests.isEmpty { try await Task.sleep(nanoseconds: 1_000_000) }
        let begun = ContinuousClock.now
        call.cancel()
        let error = await #expect(throws: CloakroomError.self) { _ = try await call.value }
        #expect(error?.kind == .cancelled && ContinuousClock.now - begun < .seconds(30))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nno\n",
    ])
    func whatIsNoGatewayIsUnreadable(_ response: String) async throws {
        let server = try server([response])
        let cloakroom = try client(server.port, retries: .never)
        let error = await #expect(throws: CloakroomError.self) { _ = try await cloakroom.forms() }
        #expect(error?.kind == .unreadable)
    }
}
