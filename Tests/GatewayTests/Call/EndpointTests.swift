import HTTPWire
import Testing

@testable import Gateway

@Suite struct EndpointTests {
    @Test(arguments: [
        ("/v1/forms", "formList"), ("/v1/forms/a", "form(id: \"a\")"),
        ("/v1/forms/a/validate", "validate(form: \"a\")"),
        ("/v1/forms/a%2Db/validate", "validate(form: \"a-b\")"), ("/v1/forms/a/aliases", "aliases(form: \"a\")"),
        ("/v1/forms/a/tokens", "tokens(form: \"a\")"), ("/v1/forms/a/send", "send(form: \"a\", path: \"\")"),
        ("/v1/forms/a/send/", "send(form: \"a\", path: \"/\")"),
        ("/v1/forms/a/send/b%2Fc/d", "send(form: \"a\", path: \"/b%2Fc/d\")"), ("/aliases", "vaultAliases"),
        ("/aliases/x", "vaultAlias(\"x\")"), ("/aliases/x%20y", "vaultAlias(\"x y\")"),
        ("/aliases/delete", "vaultAlias(\"delete\")"), ("/tokens", "vaultTokens"),
        ("/elements/v1/frame.html", "elements(version: \"v1\", file: \"frame.html\")"),
        ("/demo", "demo(file: \"demo.html\")"), ("/demo/demo.js", "demo(file: \"demo.js\")"),
    ])
    func paths(path: String, endpoint: String) {
        #expect("\(Endpoint(path: path, method: .get))" == endpoint)
    }

    @Test func deletionIsPostAlone() {
        #expect("\(Endpoint(path: "/aliases/delete", method: .post))" == "vaultDeletion")
    }

    @Test(arguments: [
        "/", "/v1", "/v1/formsx", "/v1/forms/a/", "/v1/forms/a/sendx", "/v1/forms/a/validate/", "/v1/forms/%zz",
        "/tokensx",
        "/aliasesx", "/v1/routes", "/v1/routesx/a", "/v1/routes/%zz/a", "*", "",
        "/elements", "/elements/v1", "/elements/v1/a/b", "/elements/%zz/a", "/elementsx/v1/a", "/demo/a/b", "/demox",
    ])
    func unknownPathsOfTheClientPlane(path: String) {
        let endpoint = Endpoint(path: path, method: .get)
        if case .unknown(.client) = endpoint { return }
        // An empty form id is the id of no form.
        if case .form(id: "") = endpoint { return }
        Issue.record("\(path) is \(endpoint)")
    }

    @Test(arguments: ["/aliases/", "/aliases/a/b", "/aliases/%FF", "/tokens/x", "/tokens/"])
    func unknownPathsOfTheVaultPlane(path: String) {
        guard case .unknown(.vault) = Endpoint(path: path, method: .get) else {
            Issue.record("\(path) is known")
            return
        }
    }

    @Test func everyKindHasItsOwnIndex() {
        #expect(Endpoint.Pattern.allCases.map(\.rawValue) == Array(0..<Endpoint.Pattern.allCases.count))
    }

    @Test(arguments: [
        ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
        ("application/json;charset=\"UTF-8\"", true), ("application/json; charset=latin1", false),
        ("application/json; charset", false), ("application/problem+json", false), ("text/json", false), ("", false),
        ("application/json, text/plain", false),
    ])
    func mediaTypes(header: String, isJSON: Bool) {
        #expect(MediaType.isJSON(header) == isJSON)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false), ("", false),
        ("a", false),
    ])
    func entityTags(header: String, matches: Bool) {
        #expect(EntityTag.isListed("\"a\"", in: [header]) == matches)
        // Lines of one name are one list (RFC 9110 section 5.3).
        #expect(EntityTag.isListed("\"a\"", in: ["\"c\"", header]) == matches)
        #expect(EntityTag.isListed("\"a\"", in: [header, "\"c\""]) == matches)
    }

    @Test(arguments: [
        ("a", true), ("A-z_0.9", true), (String(repeating: "x", count: 128), true), ("", false), ("a b", false),
        ("ü", false),
        ("a\"b", false), (String(repeating: "x", count: 129), false),
        // Card numbers, alone and in a name; digits whose check digit is wrong, and fewer than a card has.
        ("4111111111111111", false), ("r-4539600166594134_x", false), ("x.378282246310005", false),
        ("4111111111111112", true), ("79927398713", true), ("4111-1111-1111-1111", false), ("000000000000", false),
        ("4111.1111_1111-1111", false), ("4111-1111-1111-1112", true),
        ("0193a6f2-5c11-7b60-8e0f-3f6a52d1c904", true),
    ])
    func namesOfRequests(text: String, isAcceptable: Bool) {
        #expect(RequestID.isAcceptable(text) == isAcceptable)
    }

    @Test(arguments: [
        // Card numbers in groups, with anything around them; a wrong check digit, groups that are none, too few digits.
        ("card-4539-6001-6659-4134", false), ("pan.4539.6001.6659.4134", false), ("x4111-1111-1111-1111y", false),
        ("r-7-4539-6001-6659-4134-12", false), ("amex_3782-822463_10005", false), ("v4-222222-2222222", true),
        ("v-4222-2222-22222", false), ("r-4539-6001-6659-4135", true), ("r-4539--6001-6659-4134", true),
        ("r-45396001-6659-4134", true), ("r-4539-6001-6659-x4134", true),
        // Numbers of persons.
        ("219-09-9999", false), ("ssn_219-09-9999", false), ("ssn219.09.9999x", false), ("a--219_09_9999--7", false),
        ("219-09.9999", false), ("1-219-09-9999", true), ("219-09-9999_1", true), ("219-09-99991", true),
        ("219--09-9999", true), ("219-0x-9999", true),
        // What callers do send.
        ("20261121-183705-123", true), ("2026-11-21", true), ("2026-11-21T18-37-05.123", true), ("1.2.3-4", true),
        ("01JD7Z4M0Q3V5X8Y2B6C9D1E7F", true), ("4bf92f3577b34da6a3ce929d0e0e4736", true),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
        ("1-67891233-abcdef012345678912345678", true),
        ("550e8400-e29b-41d4-a716-446655440000", true), ("ABCDEFAB-4539-6001-6659-4134abcdefab", true),
        ("ABCDEFAG-4539-6001-6659-4134abcdefab", false),
        ("r-2223-0000-4841-0010", false), ("r-2721-0000-0000-0002", true),
    ])
    func namesOfRequestsWithGroups(text: String, isAcceptable: Bool) {
        #expect(RequestID.isAcceptable(text) == isAcceptable)
    }

    /// By chance a tenth of all numbers have a right check digit; moments and counters begin as no card does.
    @Test func momentsAreNoCards() {
        for count in 0..<400 {
            #expect(RequestID.isAcceptable("2026-11-22-09-30-45-\(123_000 + count)"))
            #expect(RequestID.isAcceptable("2026.11.22.093012.\(1_000 + count)"))
            #expect(RequestID.isAcceptable("10.0.17.4-2211-\(100_000 + count)"))
        }
    }

    @Test func newNamesAreVersion7AndDiffer() {
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            let id = Array(RequestID.make())
            #expect(id.count == 36 && id[14] == "7" && "89ab".contains(id[19]))
            seen.insert(String(id))
        }
        #expect(seen.count == 10_000)
    }
}
