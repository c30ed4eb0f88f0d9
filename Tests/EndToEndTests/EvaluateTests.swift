import JSON
import ProcessTesting
import Testing

/// `cloakroom evaluate`: a line of JSON in, a line of JSON out.
@Suite(.waits) struct EvaluateTests {
    private let workspace: Workspace

    init() throws { workspace = try Setting.workspace(forms: Setting.deliveredForms()) }

    private var arguments: [String] {
        ["evaluate", "--config", workspace.path(of: "cloakroom.yaml"), "--now", "2026-11-21T18:37:05Z"]
    }

    private func evaluate(_ lines: String..., more: [String] = []) throws -> [JSONValue] {
        let run = try Command.cloakroom(arguments + more, input: lines.joined(separator: "\n"), in: workspace)
        #expect(run.end == .exit(0))
        return try run.lines.map { try JSONValue(text: $0) }
    }

    private static let good = """
        {"form":"checkout","fields":{"card_number":"4539 6001 6659 4134","card_holder":"Ann Li","exp_date":"0931",\
        "cvc":"321"},"extraData":{"order":17}}
        """

    @Test func withoutRevealOnlyNamesAreShown() throws {
        let answer = try #require(evaluate(Self.good).first)
        #expect(
            answer.object?.members.map(\.key) == [
                "form", "isValid", "isComplete", "nextField", "fields", "payload", "aliasRequest", "result",
            ])
        #expect(answer["isValid"]?.text == "true" && answer["nextField"]?.text == "null")
        try expect(
            answer["aliasRequest"],
            equals: """
                [{"fieldName":"card_number","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT"},
                 {"fieldName":"cvc","format":"UUID","storage":"VOLATILE"}]
                """)
        try expect(
            answer["payload"],
            equals: """
                {"order":17,"card_number":{"alias":"FPE_SIX_T_FOUR"},"card_holder":{"withheld":"card_holder"},
                 "exp_month":{"withheld":"exp_month"},"exp_year":{"withheld":"exp_year"},"cvc":{"alias":"UUID"}}
                """)
        #expect(answer["result"]?.object?.members.map(\.key).contains("cvc") == true)
        #expect(answer["fields", "cvc", "raw"] == nil && !answer.text.contains("Ann Li"))
    }

    @Test func withRevealTextIsShown() throws {
        let answer = try #require(evaluate(Self.good, more: ["--reveal"]).first)
        try expect(
            answer["payload"],
            equals: """
                {"order":17,"card_number":"4539600166594134","card_holder":"Ann Li","exp_month":"09","exp_year":"2031",
                 "cvc":"321"}
                """)
        try expect(
            answer["aliasRequest"],
            equals: """
                [{"fieldName":"card_number","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT","value":"4539600166594134"},
                 {"fieldName":"cvc","format":"UUID","storage":"VOLATILE","value":"321"}]
                """)
        try expect(
            answer["result"],
            equals: """
                {"card_number":{"alias":"FPE_SIX_T_FOUR"},"card_holder":"Ann Li","exp_month":"09","exp_year":"2031",
                 "cvc":{"alias":"UUID"}}
                """)
        let card = try #require(answer["fields"]?["card_number"])
        #expect(card.string("raw") == "4539600166594134" && card.string("formatted") == "4539 6001 6659 4134")
        #expect(card.string("output") == "4539600166594134" && card["withDivider"] != nil)
    }

    @Test func whatAliasesWouldRefuseHasItsError() throws {
        let answer = try #require(evaluate(#"{"form":"checkout","fields":{"cvc":"32"}}"#).first)
        #expect(answer["isValid"]?.text == "false")
        for name in ["payload", "aliasRequest", "result"] { #expect(answer[name]?.text == "null") }
        #expect(answer["error", "error", "code"]?.text == "1001" && answer["error", "status"]?.text == "422")
        #expect(answer["error", "fields"]?.text == answer["fields"]?.text)
    }

    /// The guard refuses what `aliases` would return: a field of another type, and not the card field or `extraData`.
    @Test func whatTheGuardWouldRefuseHasTheErrorOfALiveCall() throws {
        let form = """
            form: guarded
            guard: {pan: refuse}
            access: {aliases: public}
            fields: [{name: number, type: cardNumber, tokenization: {}}, {name: note}]
            """
        let workspace = try Setting.workspace(forms: ["guarded": form])
        let gateway = try GatewayProcess(in: workspace)
        for (fields, isRefused) in [
            (#"{"number":"4539526018159083","note":"pay with 4539 5260 1815 9083"}"#, true),
            (#"{"number":"4539526018159083","note":"pay"}"#, false),
        ] {
            let submission = #""fields":\#(fields),"extraData":{"x":"4539526018159083"}"#
            let run = try Command.cloakroom(
                ["evaluate", "--config", workspace.path(of: "cloakroom.yaml"), "--fail-on-invalid"],
                input: #"{"form":"guarded",\#(submission)}"#, in: workspace)
            #expect(run.end == .exit(isRefused ? 1 : 0))
            let offline = try JSONValue(text: run.output)
            let live = try gateway.request(
                "POST", "/v1/forms/guarded/aliases", ["Content-Type": "application/json"], body: "{\(submission)}")
            #expect(live.status == (isRefused ? 400 : 201), "\(live.bodyText)")
            #expect((offline["error"] == nil) != isRefused && (offline["payload"]?.text == "null") == isRefused)
            guard isRefused else { continue }
            // Nothing but the id of the request is missing.
            #expect(offline["error"]?.text == live.bodyText.replacing(/"requestId":"[^"]*",/, with: ""))
        }
    }

    /// What the guard of the form or of its route refuses to send has no payload, and the error of a live call; `aliases` returns no
    /// `extraData`, and goes on.
    @Test(arguments: [("refuse", "off"), ("mask", "refuse"), ("mask", "report"), ("off", "report")])
    func whatTheGuardWouldNotSendHasNoPayload(own: String, ofRoute: String) throws {
        let isRefused = [own, ofRoute].contains("refuse")
        let form = """
            form: guarded
            route: r
            guard: {pan: \(own)}
            access: {aliases: public, send: public}
            fields: [{name: number, type: cardNumber, tokenization: {}}, {name: note}]
            """
        let routes = "routes: [{name: r, kind: echo, guard: {pan: \(ofRoute)}}]\n"
        let workspace = try Setting.workspace(Setting.base + routes, forms: ["guarded": form])
        let gateway = try GatewayProcess(in: workspace)
        let submission =
            #""fields":{"number":"4539526018159083","note":"n"},"extraData":{"x":"4111111111111111"}"#
        for arguments in [["--fail-on-invalid"], ["--fail-on-invalid", "--reveal"]] {
            let run = try Command.cloakroom(
                ["evaluate", "--config", workspace.path(of: "cloakroom.yaml")] + arguments,
                input: #"{"form":"guarded",\#(submission)}"#, in: workspace)
            #expect(run.end == .exit(isRefused ? 1 : 0))
            let offline = try JSONValue(text: run.output)
            #expect((offline["payload"]?.text == "null") == isRefused, "\(run.output)")
            #expect(offline["result"]?["number"] != nil && offline["error"] == nil)
            let live = try gateway.request(
                "POST", "/v1/forms/guarded/send/", ["Content-Type": "application/json"], body: "{\(submission)}")
            #expect(live.status == (isRefused ? 400 : 200), "\(live.bodyText)")
            if isRefused {
                #expect(
                    offline["payloadError"]?.text == live.bodyText.replacing(/"requestId":"[^"]*",/, with: ""))
            } else {
                #expect(offline["payload"]?.string("x") == (try JSONValue(text: live.bodyText)).string("x"))
                #expect(offline["payloadError"] == nil)
            }
        }
    }

    /// What the guard masks is masked as in a live call, and the card that is meant to be in the body is not.
    @Test(arguments: [true, false])
    func whatTheGuardWouldMaskIsMasked(isForVault: Bool) throws {
        let kind = isForVault ? "vgs, tenantId: tntk2d7, environment: sandbox" : "echo"
        let form = """
            form: masked
            route: r
            guard: {pan: mask}
            access: {aliases: public}
            fields: [{name: number, type: cardNumber, tokenization: {}}, {name: note}]
            """
        let workspace = try Setting.workspace(
            Setting.base + "routes: [{name: r, kind: \(kind)}]\n", forms: ["masked": form])
        let line = """
            {"form":"masked","fields":{"number":"4539526018159083","note":"pay with 4539 5260 1815 9083"},\
            "extraData":{"x":"4111111111111111","y":5105105105105100}}
            """
        for arguments in [[], ["--reveal"]] {
            let run = try Command.cloakroom(
                ["evaluate", "--config", workspace.path(of: "cloakroom.yaml")] + arguments, input: line, in: workspace)
            let offline = try JSONValue(text: run.output)
            #expect(offline["payload"]?.string("x") == "************1111", "\(run.output)")
            #expect(offline["payload"]?["y"]?.text.contains("5105105105105100") == false)
            guard !arguments.isEmpty else { continue }
            #expect(offline["payload"]?.string("number") == "4539526018159083")
            #expect(offline["result"]?.string("note") == "pay with **** **** **** 9083")
        }
    }

    /// `form` is a member of a line, though not of a submission to a server.
    @Test func membersOfALineAreNamed() throws {
        let answer = try #require(evaluate(#"{"form":"checkout","field":{}}"#).first)
        #expect(answer.text.contains(#"unknown member \"field\"; allowed: form, fields, extraData"#))
    }

    /// The year that it is comes from `--now`.
    @Test func theInstantDecides() throws {
        let line = #"{"form":{"form":"f","fields":[{"name":"exp","type":"expDate"}]},"fields":{"exp":"11/26"}}"#
        for (now, isValid) in [
            ("2026-11-30T23:59:59Z", "true"), ("2026-12-01T00:00:00Z", "false"), ("2026-12-01T00:30:00+01:00", "true"),
        ] {
            let run = try Command.cloakroom(["evaluate", "--now", now], input: line, in: workspace)
            #expect(try JSONValue(text: run.output)["isValid"]?.text == isValid, "\(now)")
        }
    }

    @Test func brokenLinesAreAnsweredByAnErrorAlone() throws {
        let cases: [(line: String, type: String)] = [
            ("", "malformedRequest"), ("nonsense", "malformedRequest"), ("[]", "malformedRequest"),
            ("{}", "malformedRequest"),
            (#"{"form":"checkout","fields":{"cvc":1}}"#, "malformedRequest"),
            (#"{"form":"checkout","fields":{},"more":1}"#, "malformedRequest"),
            (#"{"form":"checkout","fields":{"a":"1","b":"2"}}"#, "unknownField"),
            (#"{"form":"nobody","fields":{}}"#, "invalidForm"),
            (#"{"form":{"form":"f","fields":[{"name":"a","type":"x"},{"nam":1}]},"fields":{}}"#, "invalidForm"),
            (#"{"form":{"fields":[{"name":"a"}]},"fields":{}}"#, "invalidForm"),
        ]
        let run = try Command.cloakroom(
            arguments, input: cases.map { $0.line + "\n" }.joined() + Self.good, in: workspace)
        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(lines.count == cases.count + 2 && lines.last == "")
        for (line, expected) in zip(lines, cases) {
            let answer = try JSONValue(text: line)
            #expect(answer.object?.members.map(\.key) == ["error"])
            let error = answer["error"]?["error"]
            #expect(error?.string("domain") == "cloakroom" && error?["code"]?.text == "400")
            #expect(error?.string("type") == expected.type, "\(expected.line)")
            let mistakes = error?["userInfo"]?["extraInfo"]?["mistakes"]?.array ?? []
            #expect(mistakes.isEmpty == (expected.type != "invalidForm"))
            #expect(mistakes.allSatisfy { $0.object?.members.map(\.key) == ["path", "message"] })
        }
        #expect(try JSONValue(text: lines[cases.count])["isValid"]?.text == "true")
    }

    /// A name may be a card number.
    @Test func errorsAreMaskedAsThoseOfAServer() throws {
        let fields = #""fields":{"4111111111111111":"x"}"#
        for form in [#""checkout""#, #"{"form":"x","fields":[{"name":"a"}]}"#] {
            let answer = try #require(evaluate(#"{"form":\#(form),\#(fields)}"#).first)
            #expect(answer.text.contains("************1111") && !answer.text.contains("4111111111111111"))
        }
    }

    /// Whoever asks may wait for each answer before asking again.
    @Test func answersAreNotHeldBack() throws {
        let process = try ChildProcess(Place.binary, arguments, errors: workspace.path(of: "errors"))
        for index in 0..<5 {
            try process.send(#"{"form":{"form":"f\#(index)","fields":[{"name":"a"}]},"fields":{}}"# + "\n")
            let answer = try JSONValue(text: #require(try process.readLine()))
            #expect(answer.string("form") == "f\(index)")
        }
        // Half a line, then the rest; and a last line without an end.
        try process.send(#"{"form":"checkout","#)
        try process.send(#""fields":{}}"# + "\n" + Self.good)
        #expect(try JSONValue(text: #require(try process.readLine()))["isValid"]?.text == "false")
        process.endInput()
        #expect(try JSONValue(text: #require(try process.readLine()))["isValid"]?.text == "true")
        #expect(try process.readLine() == nil && process.wait() == .exit(0))
    }

    @Test func withoutAConfigurationAFormNamesNoRoute() throws {
        let line = #"{"form":{"form":"f","route":"echo","fields":[{"name":"a"}]},"fields":{}}"#
        let alone = try Command.cloakroom(["evaluate"], input: line, in: workspace)
        #expect(alone.output.contains("invalidForm"))
        #expect(try evaluate(line).first?["isValid"]?.text == "true")
    }
}
