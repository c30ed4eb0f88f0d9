import JSON
import Testing

@testable import Gateway

@Suite struct ProblemTests {
    private func text(_ problem: Problem, states: String? = nil) -> String {
        var json = JSONWriter()
        problem.write(
            into: &json, instance: "/v1/forms/checkout/send/orders", requestID: "r-1",
            states: states.map { Array($0.utf8) })
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The example of proxy, section 6.
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

    /// proxy, section 6: codes, types, keys, statuses.
    @Test func codes() {
        let table: [(Problem, Int, Int, String, String?)] = [
            (.fileNotFound("f"), 422, 1101, "inputFileNotFound", "VGSSDKErrorFileNotFound"),
            (.fileTypeNotSupported("f"), 422, 1102, "inputFileTypeIsNotSupported", "VGSSDKErrorFileTypeNotSupported"),
            (
                .fileTooLarge("f", limit: 1, size: 1), 413, 1103, "inputFileSizeExceedsTheLimit",
                "VGSSDKErrorFileSizeExceedsTheLimit"
            ),
            (.invalidAccessToken(), 401, 1300, "invalidAccessToken", "VGSSDKErrorInvalidAccessToken"),
            (.unexpectedResponseType, 502, 1400, "unexpectedResponseType", nil),
            (.invalidConfigurationURL, 400, 1480, "invalidConfigurationURL", nil),
            (.timedOut, 504, -1001, "timedOut", nil), (.cannotFindHost, 502, -1003, "cannotFindHost", nil),
            (.cannotConnectToHost, 502, -1004, "cannotConnectToHost", nil),
            (.networkConnectionLost, 502, -1005, "networkConnectionLost", nil),
            (.secureConnectionFailed, 502, -1200, "secureConnectionFailed", nil),
            (.badServerResponse, 502, -1011, "badServerResponse", nil),
            (.unknownFields(["a"]), 400, 400, "unknownField", nil),
            (Problem(.malformed("x")), 400, 400, "malformedRequest", nil),
            (Problem(.forbidden("x")), 403, 403, "forbidden", nil),
            (Problem(.notFound("x")), 404, 404, "notFound", nil),
            (Problem(.methodNotAllowed(allowed: "GET")), 405, 405, "methodNotAllowed", nil),
            (Problem(.bodyTooLarge), 413, 413, "bodyTooLarge", nil),
            (Problem(.unsupportedMediaType), 415, 415, "unsupportedMediaType", nil),
            (Problem(.tooManyRequests(retryAfter: 1)), 429, 429, "tooManyRequests", nil),
            (Problem(.internalError), 500, 500, "internalError", nil),
            (Problem(.unavailable), 503, 503, "unavailable", nil),
            (Problem(.aliasSpaceExhausted(format: "PFPT")), 507, 507, "aliasSpaceExhausted", nil),
            (Problem(.unauthorized), 401, 1300, "invalidAccessToken", "VGSSDKErrorInvalidAccessToken"),
        ]
        for (problem, status, code, type, key) in table {
            #expect(problem.status == status && problem.code == code && problem.type == type && problem.key == key)
        }
    }

    @Test func aProblemWithoutRequestLeavesItOut() {
        var json = JSONWriter()
        Problem.unknownFields(["x", "y"]).write(into: &json)
        let text = String(decoding: json.bytes, as: UTF8.self)
        #expect(!text.contains("instance") && !text.contains("requestId"))
        #expect(text.contains("\"extraInfo\":{\"fields\":[\"x\",\"y\"]}"))
    }

    /// vault-api, section 3.
    @Test func errorsOfTheVaultPlane() {
        var json = JSONWriter()
        VaultProblem.badRequest("Too many values (limit: 20)").write(into: &json, href: "https://vault.example/aliases")
        #expect(
            String(decoding: json.bytes, as: UTF8.self)
                == """
                {"errors":[{"status":400,"title":"Bad request","detail":"Too many values (limit: 20)",\
                "href":"https://vault.example/aliases"}]}
                """)
        var two = JSONWriter()
        VaultProblem.unknownAliases(["a", "b"]).write(into: &two, href: "h")
        #expect(
            String(decoding: two.bytes, as: UTF8.self)
                == """
                {"errors":[{"status":404,"title":"Not found","detail":"Unknown alias: a","href":"h"},\
                {"status":404,"title":"Not found","detail":"Unknown alias: b","href":"h"}]}
                """)
    }
}
