import JSON
import Testing

/// What the client plane refuses before a form's own rules apply, and its files' (docs/reference/proxy.md section 6).
@Suite struct FormRefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var method = "POST"
        let target: String
        var headers = ["Content-Type": "application/json"]
        var body: String? = "{}"
        let status: Int
        var type = "malformedRequest"
        var code: Int?
        var domain = "cloakroom"
        /// Words of the detail.
        var detail = ""
        var answerHeaders: [String: String] = [:]
        var extraInfo = "{}"

        var testDescription: String { "\(method) \(target) \(body?.prefix(60) ?? "") \(status)" }
    }

    /// Calls that take a submission, with a credential where one is asked for.
    private static let calls: [(target: String, headers: [String: String])] = [
        ("validate", ["Content-Type": "application/json"]),
        ("aliases", ["Content-Type": "application/json", "Authorization": User.dev.authorization]),
        ("tokens", ["Content-Type": "application/json"]),
        ("send/orders", ["Content-Type": "application/json"]),
    ]

    /// Bodies that are no submission.
    static let malformed: [Case] = calls.flatMap { call in
        let target = "/v1/forms/checkout/\(call.target)"
        func refused(_ body: String, _ detail: String) -> Case {
            Case(target: target, headers: call.headers, body: body, status: 400, detail: detail)
        }
        return [
            refused(#"{"fields":{"cvc":"123"}"#, "line 1, column 24"),
            refused("{\n  \"fields\": nope}", "line 2, column 13"),
            refused(#"{"fields":{"cvc":"1","cvc":"2"}}"#, "line 1, column 22"),
            refused(#"{"fields":{},"fields":{}}"#, "line 1, column 14"),
            refused(#"{"fields":{}} x"#, "line 1, column 15"),
            refused(#"{"fields":{"cvc":"\#u{1}"}}"#, "line 1, column 19"),
            refused(#"{"fields":{"cvc":"\ud800"}}"#, "line 1"),
            refused(String(repeating: "[", count: 65) + String(repeating: "]", count: 65), "line 1"),
            refused("", "line 1, column 1"),
            refused("[]", "object"),
            refused(#"{"fields":[]}"#, "fields"),
            refused(#"{"fields":{},"more":1}"#, "more"),
            refused(#"{"fields":{},"extraData":[]}"#, "extraData"),
            refused(#"{"fields":{"cvc":123}}"#, "cvc"),
            refused(#"{"fields":{"cvc":null}}"#, "cvc"),
            refused(#"{"fields":{"cvc":true}}"#, "cvc"),
            refused(#"{"fields":{"cvc":["1"]}}"#, "cvc"),
            refused(#"{"fields":{"cvc":{}}}"#, "cvc"),
            Case(
                target: target, headers: call.headers, body: #"{"fields":{"pan":"1","cvc":"123","iban":"2"}}"#,
                status: 400, type: "unknownField", extraInfo: #"{"fields":["pan","iban"]}"#),
        ]
    }

    /// Media types other than JSON in UTF-8.
    static let mediaTypes: [Case] = calls.flatMap { call in
        [
            nil, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
            "application/jsonx",
        ]
        .map { type in
            var headers = call.headers
            headers["Content-Type"] = type
            return Case(
                target: "/v1/forms/checkout/\(call.target)", headers: headers, body: #"{"fields":{}}"#,
                status: 415, type: "unsupportedMediaType")
        }
    }

    /// Paths and methods.
    static let routing: [Case] =
        [
            ("POST", "/v1/forms/nobody/validate"), ("POST", "/v1/forms/nobody/aliases"),
            ("POST", "/v1/forms/nobody/tokens"),
            ("POST", "/v1/forms/nobody/send/a"), ("GET", "/v1/forms/nobody"), ("GET", "/v1/forms/"), ("GET", "/"),
            ("GET", "/v1"), ("GET", "/v1/formsx"), ("POST", "/v1/forms/checkout/other"),
            ("POST", "/v1/forms/checkout/validate/x"), ("POST", "/v1/forms/checkout/sender"),
            ("POST", "/v1/forms/nowhere/send/a"), ("POST", "/V1/forms/checkout/validate"),
        ].map { method, target in
            Case(
                method: method, target: target, body: method == "GET" ? nil : #"{"fields":{}}"#, status: 404,
                type: "notFound")
        }
        + ["validate", "aliases", "tokens"].flatMap { call in
            ["GET", "PUT", "PATCH", "DELETE"].map { method in
                Case(
                    method: method, target: "/v1/forms/checkout/\(call)", body: nil, status: 405,
                    type: "methodNotAllowed",
                    answerHeaders: ["Allow": "POST, OPTIONS"])
            }
        }
        + ["/v1/forms", "/v1/forms/checkout"].flatMap { target in
            ["POST", "PUT", "DELETE"].map { method in
                Case(
                    method: method, target: target, status: 405, type: "methodNotAllowed",
                    answerHeaders: ["Allow": "GET, HEAD, OPTIONS"])
            }
        } + [
            Case(
                method: "PROPFIND", target: "/v1/forms/checkout/send/a", status: 405, type: "methodNotAllowed",
                answerHeaders: ["Allow": "GET, POST, PUT, PATCH, DELETE, OPTIONS"])
        ]

    /// Credentials: none, not known, or without the scope.
    static let credentials: [Case] =
        (["validate", "aliases", "tokens", "send/x"].flatMap { call in
            [
                nil, "", "Basic", "Basic !!!", "Basic ZGV2", "Basic ZGV2Ondyb25n", "Bearer", "Bearer wrong",
                "Digest dev",
                "dev-secret",
            ].map { value in
                var headers = ["Content-Type": "application/json"]
                headers["Authorization"] = value
                return Case(
                    target: "/v1/forms/locked/\(call)", headers: headers, body: #"{"fields":{"note":"x"}}"#,
                    status: 401,
                    type: "invalidAccessToken", code: 1300, domain: "vgscollect.sdk",
                    answerHeaders: [
                        "WWW-Authenticate": "Basic realm=\"cloakroom\", charset=\"UTF-8\", Bearer realm=\"cloakroom\""
                    ])
            }
        })
        + [
            ("validate", User.reader), ("aliases", .reader), ("tokens", .reader), ("send/x", .reader),
            ("send/x", .writer),
        ]
        .map { call, user in
            Case(
                target: "/v1/forms/locked/\(call)",
                headers: ["Content-Type": "application/json", "Authorization": user.authorization],
                body: #"{"fields":{"note":"x"}}"#, status: 403, type: "forbidden")
        }

    /// Paths and route ids of a send that would otherwise go through.
    static let sends: [Case] =
        [
            ".", "..", "a/../b", "a/%2e%2e/b", "a/%2E", "a%5Cb", "a%00b", "a%0Ab", "a%FFb",
            String(repeating: "a", count: 2_049),
        ].map { path in
            Case(
                target: "/v1/forms/memo/send/\(path)", body: #"{"fields":{"note":"x"}}"#, status: 400, detail: "path")
        }
        + ["route-1", "7f3c0a5241de4b0c9a770f5d2c9b6e11", "7F3C0A52-41de-4b0c-9a77-0f5d2c9b6e1g"].map { id in
            Case(
                target: "/v1/forms/memo/send/a", headers: ["Content-Type": "application/json", "VGS-Route-Id": id],
                body: #"{"fields":{"note":"x"}}"#, status: 400, type: "invalidConfigurationURL", code: 1480,
                domain: "vgscollect.sdk")
        }

    /// Files (1101 to 1103).
    static let files: [Case] = ["aliases", "tokens", "send/x"].flatMap { call in
        func refused(_ value: String, _ status: Int, _ type: String, _ code: Int, _ info: String = "{}") -> Case {
            Case(
                target: "/v1/forms/scan/\(call)",
                headers: ["Content-Type": "application/json", "Authorization": User.dev.authorization],
                body: #"{"fields":{\#(value)}}"#, status: status, type: type, code: code, domain: "vgscollect.sdk",
                extraInfo: info)
        }
        // 64 bytes that begin as a PNG does.
        let large = "iVBORw0KGgo" + String(repeating: "A", count: 75) + "=="
        return [
            refused("", 422, "inputFileNotFound", 1101),
            refused(#""docs.scan":"***""#, 422, "inputFileTypeIsNotSupported", 1102),
            refused(#""docs.scan":"aGVsbG8=""#, 422, "inputFileTypeIsNotSupported", 1102),
            refused(
                #""docs.scan":"\#(large)""#, 413, "inputFileSizeExceedsTheLimit", 1103,
                #"{"expectedSize":64,"fileSize":"64","sizeUnits":"bytes"}"#),
        ]
    }

    @Test(arguments: malformed + mediaTypes + routing + credentials + sends + files)
    func isRefused(_ refused: Case) throws {
        let gateway = try Setting.shared.get()
        let answer = try gateway.request(refused.method, refused.target, refused.headers, body: refused.body)
        #expect(answer.status == refused.status)
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(answer["Cloakroom-Upstream-Status"] == nil)
        for (name, value) in refused.answerHeaders { #expect(answer[name] == value) }
        let id = try #require(answer["X-Request-Id"])
        let json = try answer.json()

        var members = ["type", "title", "status", "detail", "instance", "requestId", "error"]
        if (1101...1103).contains(refused.code ?? 0) { members.append("fields") }
        #expect(json.object?.members.map(\.key) == members)
        #expect(json.string("type") == "urn:cloakroom:problem:\(refused.type)")
        #expect(json["status"]?.text == String(refused.status))
        #expect(json.string("instance") == refused.target)
        #expect(json.string("requestId") == id)
        #expect(json.string("detail")?.contains(refused.detail) == true || refused.detail.isEmpty, "\(answer.bodyText)")
        #expect(json.string("error", "domain") == refused.domain)
        #expect(json["error", "code"]?.text == String(refused.code ?? refused.status))
        #expect(json.string("error", "type") == refused.type)
        #expect(json.string("error", "userInfo", "NSLocalizedDescription")?.isEmpty == false)
        #expect((json.string("error", "userInfo", "key") != nil) == (refused.code.map { $0 < 1400 } ?? false))
        try expect(json["error", "userInfo", "extraInfo"], equals: refused.extraInfo)
    }

    /// Both ways to show a credential, and each call's scope.
    @Test(arguments: ["validate", "aliases", "tokens", "send/x"])
    func aCredentialOpensWhatIsLocked(_ call: String) throws {
        let gateway = try Setting.shared.get()
        for authorization in [
            User.dev.authorization, "Bearer dev-secret", "bearer dev-secret", "basic ZGV2OmRldi1zZWNyZXQ=",
        ] {
            let answer = try gateway.request(
                "POST", "/v1/forms/locked/\(call)",
                ["Content-Type": "application/json", "Authorization": authorization], body: #"{"fields":{"note":"x"}}"#)
            #expect(answer.status == 200)
        }
    }

    @Test func pagesOfOtherOriginsAreNotLetInByDefault() throws {
        let gateway = try Setting.shared.get()
        let preflight = try gateway.request(
            "OPTIONS", "/v1/forms/checkout/validate",
            ["Origin": "https://shop.example", "Access-Control-Request-Method": "POST"])
        #expect(preflight.status == 204 && preflight["Allow"] == "POST, OPTIONS")
        #expect(preflight["Access-Control-Allow-Origin"] == nil)
    }
}
