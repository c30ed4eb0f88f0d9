import JSON
import Testing

@testable import Gateway

@Suite struct ProblemTests {
    private func text(_ problem: Problem, states: String? = nil) -> String {
        var json = JSONWriter()
        var problem = problem
        problem.states = states.map { Array($0.utf8) }
        problem.write(into: &json, instance: "/v1/forms/checkout/send/orders", requestID: "r-1")
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The example of `docs/reference/proxy.md` section 6.
    @Test func invalidInputHasTheShapeOfTheExample() {
        let problem = Problem.invalidInput(
            required: ["card.pan"], requiredValid: ["card.pan", "card.code"], among: ["card.pan", "owner", "card.code"])
        #expect(
            text(problem, states: "{\"card.pan\":{}}")
                == """
                {"type":"urn:cloakroom:problem:inputDataIsNotValid","title":"Input data is not valid","status":422,\
                "detail":"2 fields are not valid: card.pan, card.code","instance":"/v1/forms/checkout/send/orders",\
                "requestId":"r-1","error":{"domain":"vgscollect.sdk","code":1001,"type":"inputDataIsNotValid",\
                "userInfo":{"key":"VGSSDKErrorInputDataIsNotValid","NSLocalizedDescription":"Input data is not valid",\
                "extraInfo":{"VGSSDKErrorInputDataRequired":["card.pan"],\
                "VGSSDKErrorInputDataRequiredValid":["card.pan","card.code"]}}},"fields":{"card.pan":{}}}
                """)
    }

    @Test func onlyNonEmptyListsAreThere() {
        let problem = Problem.invalidInput(required: [], requiredValid: ["a"], among: ["a"])
        #expect(text(problem).contains("\"extraInfo\":{\"VGSSDKErrorInputDataRequiredValid\":[\"a\"]}"))
        #expect(problem.detail == "1 field is not valid: a")
    }

    @Test func sizesOfFilesAreANumberAndAText() {
        let body = text(.fileTooLarge("f", limit: 24_000_000, size: 24_000_001))
        #expect(
            body.contains("\"extraInfo\":{\"expectedSize\":24000000,\"fileSize\":\"24000001\",\"sizeUnits\":\"bytes\"}")
        )
    }

    /// `docs/reference/proxy.md` section 6: codes, types, keys, statuses.
    @Test func codes() {
        let table: [(Problem, Int, Int, String, String?)] = [
            (.fileNotFound("f"), 422, 1101, "inputFileNotFound", "VGSSDKErrorFileNotFound"),
            (.fileTypeNotSupported("f"), 422, 1102, "inputFileTypeIsNotSupported", "VGSSDKErrorFileTypeNotSupported"),
            (
                .fileTooLarge("f", limit: 1, size: 1), 413, 1103, "inputFileSizeExceedsTheLimit",
                "VGSSDKErrorFileSizeExceedsTheLimit"
            ),
            (.invalidAccessToken, 401, 1300, "invalidAccessToken", "VGSSDKErrorInvalidAccessToken"),
            (Problem(.unexpectedResponseType), 502, 1400, "unexpectedResponseType", nil),
            (Problem(.vaultResponseNotJSON), 502, 1400, "unexpectedResponseType", nil),
            (
                Problem(.unexpectedResponseDataFormat), 502, 1401, "unexpectedResponseDataFormat",
                "VGSSDKErrorUnexpectedResponseDataFormat"
            ),
            (Problem(.vaultRefused(status: 418)), 502, 502, "vaultRefused", nil),
            (Problem(.invalidRouteID), 400, 1480, "invalidConfigurationURL", nil),
            (Problem(.timedOut), 504, -1001, "timedOut", nil),
            (Problem(.connectTimedOut), 504, -1001, "timedOut", nil),
            (Problem(.cannotFindHost), 502, -1003, "cannotFindHost", nil),
            (Problem(.cannotConnectToHost), 502, -1004, "cannotConnectToHost", nil),
            (Problem(.networkConnectionLost), 502, -1005, "networkConnectionLost", nil),
            (Problem(.secureConnectionFailed), 502, -1200, "secureConnectionFailed", nil),
            (Problem(.secureConnectionBroken), 502, -1200, "secureConnectionFailed", nil),
            (Problem(.badServerResponse), 502, -1011, "badServerResponse", nil),
            (Problem(.unknownFields(["a"])), 400, 400, "unknownField", nil),
            (Problem(.unknownAliases(["a"])), 400, 400, "unknownAlias", nil),
            (Problem(.invalidForm([])), 400, 400, "invalidForm", nil),
            (Problem(.malformed("x")), 400, 400, "malformedRequest", nil),
            (Problem(.forbidden("x")), 403, 403, "forbidden", nil),
            (Problem(.notFound("x")), 404, 404, "notFound", nil),
            (Problem(.methodNotAllowed(allowed: "GET")), 405, 405, "methodNotAllowed", nil),
            (Problem(.bodyTooLarge(limit: 64, setting: "server.limits.body")), 413, 413, "bodyTooLarge", nil),
            (Problem(.unsupportedMediaType), 415, 415, "unsupportedMediaType", nil),
            (Problem(.tooManyRequests(retryAfter: 1)), 429, 429, "tooManyRequests", nil),
            (Problem(.internalError), 500, 500, "internalError", nil),
            (Problem(.unavailable), 503, 503, "unavailable", nil),
            (Problem(.volatileStorageFull), 503, 503, "unavailable", nil),
            (Problem(.circuitOpen(retryAfter: 2)), 503, 503, "unavailable", nil),
            (Problem(.upstreamBusy), 503, 503, "unavailable", nil),
            (Problem(.credentialsBusy(retryAfter: 1)), 503, 503, "unavailable", nil),
            (Problem(.responsesBusy), 503, 503, "unavailable", nil),
            (Problem(.bodiesBusy), 503, 503, "unavailable", nil),
            (Problem(.auditUnavailable), 503, 503, "unavailable", nil),
            (Problem(.unreadableMediaType), 415, 415, "unsupportedMediaType", nil),
            (Problem(.unguardedBody), 415, 415, "unsupportedMediaType", nil),
            (Problem(.revealTooLarge(limit: 1)), 413, 413, "bodyTooLarge", nil),
            (Problem(.http(status: 408, reason: "r")), 408, 408, "requestTimeout", nil),
            (Problem(.http(status: 414, reason: "r")), 414, 414, "requestLineTooLong", nil),
            (Problem(.http(status: 400, reason: "r")), 400, 400, "malformedRequest", nil),
            (Problem(.idempotencyKeyReused), 422, 422, "idempotencyKeyReused", nil),
            (Problem(.requestInProgress), 409, 409, "requestInProgress", nil),
            (Problem(.formChanged), 409, 409, "formChanged", nil),
            (Problem(.responseNotStored), 409, 409, "answerTooLargeToKeep", nil),
            (Problem(.upstream(.timedOut, route: "r", microseconds: 1, wasSent: true)), 504, -1001, "timedOut", nil),
            (Problem(.aliasSpaceExhausted(format: "PFPT")), 507, 507, "aliasSpaceExhausted", nil),
            (Problem(.unauthorized), 401, 1300, "invalidAccessToken", "VGSSDKErrorInvalidAccessToken"),
        ]
        for (problem, status, code, type, key) in table {
            #expect(problem.status == status && problem.code == code && problem.type == type && problem.key == key)
        }
    }

    /// Whoever repeats a charge must know that it may have been made.
    @Test func whatMayHaveReachedTheUpstream() throws {
        for error: CallError in [
            .timedOut, .networkConnectionLost, .secureConnectionBroken, .badServerResponse, .unexpectedResponseType,
        ] {
            let problem = Problem(error)
            #expect(problem.detail.hasSuffix(": the request may have reached it"), "\(problem.detail)")
            let row = try #require(ProblemCatalogue.rows.first { $0.type == problem.type })
            #expect(row.remedy.contains("repeat only with an Idempotency-Key that the upstream knows"), "\(row.type)")
        }
        for error: CallError in [.connectTimedOut, .cannotFindHost, .cannotConnectToHost, .secureConnectionFailed] {
            #expect(!Problem(error).detail.contains("may have"))
        }
        #expect(Problem(.connectTimedOut).detail.hasSuffix(": nothing was sent"))
    }

    @Test func aProblemWithoutRequestLeavesItOut() {
        var json = JSONWriter()
        Problem(.unknownFields(["x", "y"])).write(into: &json)
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(!text.contains("instance") && !text.contains("requestId"))
        #expect(text.contains("\"extraInfo\":{\"fields\":[\"x\",\"y\"]}"))
    }

    /// The list is whole; the sentence is for reading.
    @Test func manyUnknownFields() {
        let names = (1...23).map { "f\($0)" }
        let problem = Problem(.unknownFields(names))
        #expect(problem.detail.hasSuffix("f19, f20 and 3 more"))
        var json = JSONWriter()
        problem.write(into: &json)
        let quoted = names.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(String(decoding: json.bytes, as: UTF8.self).contains("\"extraInfo\":{\"fields\":[\(quoted)]}"))
    }

    private static let retries: [(CallError, String?)] = [
        (.unavailable, "1"), (.volatileStorageFull, "1"), (.upstreamBusy, "1"), (.bodiesBusy, "1"),
        (.responsesBusy, "1"),
        (.credentialsBusy(retryAfter: 7), "7"),
        (.aliasShareUsed("PFPT", retryAfter: 9), "9"),
        (.auditUnavailable, "1"), (.requestInProgress, "1"), (.http(status: 503, reason: "r"), "1"),
        (.tooManyRequests(retryAfter: 7), "7"), (.tooManyWrongSecrets(retryAfter: 9), "9"),
        (.circuitOpen(retryAfter: 5), "5"), (.responseNotStored, nil),
        (.http(status: 400, reason: "r"), nil), (.internalError, nil),
        (.responseWithheld(upstreamStatus: 200, reason: .notText), nil),
    ]

    @Test(arguments: retries)
    func whenToRepeat(_ error: CallError, _ seconds: String?) {
        #expect(Problem(error).headers.first { $0.0 == "Retry-After" }?.1 == seconds)
    }

    /// `docs/reference/vault-api.md` section 3.
    @Test func errorsOfTheVaultPlane() {
        var json = JSONWriter()
        VaultErrors(.malformed("Too many values (limit: 20)")).write(
            into: &json, href: "https://vault.example/aliases", requestID: "r")
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == """
                {"requestId":"r","type":"urn:cloakroom:problem:malformedRequest","detail":"Too many values (limit: 20)",\
                "errors":[{"status":400,"title":"Bad request","detail":"Too many values (limit: 20)",\
                "href":"https://vault.example/aliases"}]}
                """)
        var two = JSONWriter()
        VaultErrors(.aliasesNotFound(["a", "b"])).write(into: &two, href: "h", requestID: "r")
        #expect(
            String(decoding: two.bytes, as: UTF8.self)
                == """
                {"requestId":"r","type":"urn:cloakroom:problem:notFound","detail":"Unknown alias: a; Unknown alias: b",\
                "errors":[{"status":404,"title":"Not found","detail":"Unknown alias: a","href":"h"},\
                {"status":404,"title":"Not found","detail":"Unknown alias: b","href":"h"}]}
                """)
    }
}
