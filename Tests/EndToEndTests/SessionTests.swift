import Foundation
import JSON
import ProcessTesting
import Testing

/// The session that the gateway prints when it starts for the first time, pasted as it stands.
@Suite(.waits) struct SessionTests {
    /// Runs the printed commands against a gateway with the delivered configuration; one answer a command.
    private func answers() throws -> [JSONValue] {
        let workspace = try Setting.workspace(forms: Setting.deliveredForms())
        let gateway = try GatewayProcess(in: workspace)
        let printed = try String(contentsOfFile: "\(Place.project)/docs/first-session.txt", encoding: .utf8)
        let commands = printed.split(separator: "\n").filter { $0.hasPrefix("curl ") || $0.hasPrefix("alias=") }
        let script = commands.joined(separator: "\n").replacing("127.0.0.1:8080", with: "127.0.0.1:\(gateway.port)")
        let session = try Command("/bin/bash", ["-euo", "pipefail", "-c", script], in: workspace)
        #expect(session.end == .exit(0))
        #expect(try gateway.stop() == .exit(0))
        return try session.lines.map { try JSONValue(text: $0) }
    }

    @Test func everyCommandAnswersAsDocumented() throws {
        let answers = try answers()
        try #require(answers.count == 4)
        try expect(answers[0], equals: Self.verdict)

        let card = try #require(answers[1].string("data", "card_number"))
        let code = try #require(answers[1].string("data", "cvc"))
        #expect(try /411111[0-9]{6}1111/.wholeMatch(in: card) != nil && card != "4111111111111111")
        #expect(try /tok_sandbox_[1-9A-HJ-NP-Za-km-z]{21,22}/.wholeMatch(in: code) != nil)
        try expect(
            answers[1],
            equals: """
                {"data":{"card_number":"\(card)","card_holder":"Joe Business","exp_month":"12","exp_year":"2030",
                  "cvc":"\(code)"},
                 "aliases":[{"fieldName":"card_number","alias":"\(card)","format":"FPE_SIX_T_FOUR","storage":"PERSISTENT"},
                  {"fieldName":"cvc","alias":"\(code)","format":"UUID","storage":"VOLATILE"}]}
                """)

        let sentCode = try #require(answers[2].string("cvc"))
        #expect(sentCode != code)
        try expect(
            answers[2],
            equals: """
                {"order":17,"card_number":"\(card)","card_holder":"Joe Business","exp_month":"12","exp_year":"2030",
                 "cvc":"\(sentCode)"}
                """)

        let created = try #require(answers[3]["data"]?.array?.first?.string("created_at"))
        #expect(try /20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/.wholeMatch(in: created) != nil)
        try expect(
            answers[3],
            equals: """
                {"data":[{"value":"4111111111111111","classifiers":[],
                  "aliases":[{"alias":"\(card)","format":"FPE_SIX_T_FOUR"}],
                  "created_at":"\(created)","storage":"PERSISTENT"}]}
                """)
    }

    /// Two digits of a code that has three.
    private static let verdict = """
        {"form":"checkout","isValid":false,"isComplete":false,"nextField":"cvc","fields":{
          "card_number":{"fieldName":"card_number","type":"cardNumber","isRequired":true,"isRequiredValidOnly":true,
            "isValid":true,"isEmpty":false,"isDirty":true,"isComplete":true,"isMaskSatisfied":true,"inputLength":16,
            "validationErrors":[],"cardBrand":"visa","cardBrandName":"Visa","bin":"41111111","last4":"1111",
            "redacted":"•••• •••• •••• 1111"},
          "card_holder":{"fieldName":"card_holder","type":"cardHolderName","isRequired":true,"isRequiredValidOnly":true,
            "isValid":true,"isEmpty":false,"isDirty":true,"isComplete":true,"isMaskSatisfied":true,"inputLength":12,
            "validationErrors":[],"redacted":"••••••••••••"},
          "exp_date":{"fieldName":"exp_date","type":"expDate","isRequired":true,"isRequiredValidOnly":true,
            "isValid":true,"isEmpty":false,"isDirty":true,"isComplete":true,"isMaskSatisfied":true,"inputLength":4,
            "validationErrors":[],"redacted":"••/••"},
          "cvc":{"fieldName":"cvc","type":"cvc","isRequired":true,"isRequiredValidOnly":true,
            "isValid":false,"isEmpty":false,"isDirty":true,"isComplete":false,"isMaskSatisfied":false,"inputLength":2,
            "validationErrors":["LENGTH_RANGE_MATCH_VALIDATION_ERROR"],"redacted":"••"}}}
        """

    @Test func invalidInputIsRefusedWithTheStatesOfAllFields() throws {
        let gateway = try Setting.shared.get()
        for call in ["send/orders", "aliases", "tokens"] {
            let target = "/v1/forms/checkout/\(call)"
            let answer = try gateway.post(target, #"{"fields":{"cvc":"32","card_holder":"Ann Li"}}"#, as: .dev)
            #expect(answer.status == 422)
            #expect(answer["Content-Type"] == "application/problem+json")
            let id = try #require(answer["X-Request-Id"])
            let json = try answer.json()
            let fields = try #require(json["fields"]).text
            try expect(
                json,
                equals: """
                    {"type":"urn:cloakroom:problem:inputDataIsNotValid","title":"Input data is not valid","status":422,
                     "detail":"3 fields are not valid: card_number, exp_date, cvc","instance":"\(target)",
                     "requestId":"\(id)",
                     "error":{"domain":"vgscollect.sdk","code":1001,"type":"inputDataIsNotValid","userInfo":{
                       "key":"VGSSDKErrorInputDataIsNotValid","NSLocalizedDescription":"Input data is not valid",
                       "extraInfo":{"VGSSDKErrorInputDataRequired":["card_number","exp_date"],
                         "VGSSDKErrorInputDataRequiredValid":["card_number","exp_date","cvc"]}}},
                     "fields":\(fields)}
                    """)
            let verdict = try gateway.post(
                "/v1/forms/checkout/validate", #"{"fields":{"cvc":"32","card_holder":"Ann Li"}}"#)
            #expect(verdict.status == 200)
            #expect(try verdict.json()["fields"]?.text == fields)
        }
    }

    /// The delivered form is open to sessions: `aliases` asks for one, or for a credential.
    @Test func aSessionMayCallAliasesOfTheDeliveredForm() throws {
        let base = Setting.base.replacing("\"routes:send\"]", with: "\"routes:send\", \"sessions:create\"]")
        let gateway = try GatewayProcess(in: try Setting.workspace(base, forms: Setting.deliveredForms()))
        let made = try gateway.post("/v1/sessions", #"{"form":"checkout"}"#, as: .dev).json()
        #expect(made["operations"]?.text == #"["validate","aliases","tokens","send"]"#)
        let session = try #require(made.string("session"))
        let card =
            #"{"fields":{"card_number":"4111111111111111","card_holder":"Ann Li","exp_date":"12/30","cvc":"123"}}"#
        let path = "/v1/forms/checkout/aliases"
        let headers = ["Authorization": "Bearer \(session)", "Content-Type": "application/json"]
        #expect(try gateway.request("POST", path, headers, body: card).status == 201)
        #expect(try gateway.post(path, card, as: .dev).status == 201)
        #expect(try gateway.post(path, card).status == 401)
    }

    /// Nothing to alias: nothing was created.
    @Test func aFormWithoutAliasesAnswers200() throws {
        let gateway = try Setting.shared.get()
        let answer = try gateway.post("/v1/forms/memo/tokens", #"{"fields":{"note":"hello","secret":""}}"#)
        #expect(answer.status == 200)
        try expect(answer.json(), equals: #"{"data":{"note":"hello"},"aliases":[]}"#)
    }

    @Test func formsAreListedAndDescribed() throws {
        let gateway = try Setting.shared.get()
        let list = try gateway.request("GET", "/v1/forms")
        #expect(list.status == 200 && list["Content-Type"] == "application/json")
        #expect(list.bodyText.contains("checkout") && list.bodyText.contains("identity"))

        let form = try gateway.request("GET", "/v1/forms/checkout")
        #expect(form.status == 200 && form["Content-Type"] == "application/json")
        let names = try form.json()["fields"]?.array?.map { $0.string("name") ?? $0.string("fieldName") }
        #expect(names == ["card_number", "card_holder", "exp_date", "cvc"])

        let tag = try #require(form["ETag"])
        let again = try gateway.request("GET", "/v1/forms/checkout", ["If-None-Match": tag])
        #expect(again.status == 304 && again.body.isEmpty)
    }

    @Test func healthAndMetricsAreOnTheSecondListenerAlone() throws {
        let gateway = try Setting.shared.get()
        #expect(try gateway.admin("GET", "/health/live").status == 200)
        #expect(try gateway.admin("GET", "/health/ready").status == 200)
        let metrics = try gateway.admin("GET", "/metrics")
        #expect(metrics.status == 200 && metrics["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(metrics.bodyText.contains("# TYPE cloakroom_requests_total counter"))
        #expect(try gateway.admin("GET", "/aliases").status == 404)
        #expect(try gateway.admin("POST", "/metrics").status == 405)
        for path in ["/health/live", "/health/ready", "/metrics"] {
            #expect(try gateway.request("GET", path).status == 404)
        }
    }
}
