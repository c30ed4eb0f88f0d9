import Foundation

/// Values that would be recognised anywhere, and requests that carry them to every place that takes input.
enum PlantedValues {
    /// Every value that is sent, also in the shapes that it takes on its way.
    static let all: [String] = [
        "4716 1084 9921 8806", "4716108499218806", "6011 0009 9013 9424", "6011000990139424",
        "Quillon Zebrovsky", "qz8817plantedNote", "qz8817plantedSecret", "219-09-7366", "219097366",
        "qz8817extra", "qz8817extraKey", "qz8817bearer", "qz8817password", "qz8817cookie", "qz8817header",
        "qz8817query", "qz8817unfinished", "qz8817number", "qz8817upstream", "qz8817media", "qz8817volatile",
        "7716253490", "qz8817chunk", "qz8817trailer", "qz8817target", "qz8817host", "qz8817method",
    ]

    /// What a client sends, and whether it is answered with what it sent.
    struct Sent {
        let method: String
        let target: String
        var headers: [String: String] = [:]
        var body: String?
    }

    static let card =
        #""card_number":"4716 1084 9921 8806","card_holder":"Quillon Zebrovsky","exp_date":"12/30","cvc":"907""#
    static let badCard =
        #""card_number":"6011 0009 9013 9425","card_holder":"Quillon Zebrovsky","exp_date":"1/1","cvc":"907""#

    static let sent: [Sent] = submissions + identities + sends + strangers + vault + others

    private static let json = ["Content-Type": "application/json"]
    private static let dev = ["Content-Type": "application/json", "Authorization": User.dev.authorization]

    private static func posts(_ targets: [String], _ bodies: [String], _ headers: [String: String] = dev) -> [Sent] {
        targets.flatMap { target in bodies.map { Sent(method: "POST", target: target, headers: headers, body: $0) } }
    }

    private static let submissions = posts(
        ["validate", "aliases", "tokens", "send/orders", "send/a%5Cb"].map { "/v1/forms/checkout/\($0)" },
        [
            #"{"fields":{\#(card)},"extraData":{"qz8817extraKey":"qz8817extra"}}"#, #"{"fields":{\#(badCard)}}"#,
            #"{"fields":{"cvc":7716253490}}"#, #"{"fields":{"cvc":["qz8817number"]}}"#,
            #"{"fields":{"cvc":"qz8817unfinished"#, #"{"fields":{"cvc":"1","cvc":"qz8817number"}}"#,
            #"{"fields":{},"extraData":"qz8817extra"}"#, "qz8817unfinished", #"{"fields":"qz8817number"}"#,
            #"{"fields":{"cvc":"\#u{1}qz8817number"}}"#, #"["qz8817number"]"#,
            #"{"fields":{"card_number":"qz8817plantedNote","card_holder":"Quillon Zebrovsky 4716108499218806 $"}}"#,
        ])

    private static let identities = posts(
        ["validate", "aliases", "tokens", "send/x"].map { "/v1/forms/identity/\($0)" },
        [
            #"{"fields":{"name":"Quillon Zebrovsky","ssn":"219-09-7366","birth_date":"04/21/1988"}}"#,
            #"{"fields":{"name":"Quillon Zebrovsky","ssn":"219-00-7366","birth_date":"qz8817plantedNote"}}"#,
        ])

    private static let sends = posts(
        ["dead", "garbage", "broken"].map { "/v1/forms/\($0)/send/x" },
        [#"{"fields":{"note":"qz8817plantedNote","secret":"qz8817plantedSecret"},"extraData":{"a":"qz8817extra"}}"#],
        json)

    private static let strangers: [Sent] = [
        "Bearer qz8817bearer", "Basic " + Data("dev:qz8817password".utf8).base64EncodedString(), "qz8817header",
    ].flatMap { value in
        posts(
            ["/aliases", "/tokens", "/v1/forms/checkout/aliases"],
            [#"{"data":[{"value":"qz8817plantedSecret","format":"UUID"}]}"#],
            [
                "Content-Type": "application/json", "Authorization": value, "Cookie": "a=qz8817cookie",
                "X-Own": "qz8817header",
            ])
    }

    private static let vault = posts(
        ["/aliases", "/tokens"],
        [
            #"{"data":[{"value":"qz8817plantedSecret","format":"UUID","classifiers":["c"]}]}"#,
            #"{"data":[{"value":"qz8817volatile","format":"UUID","storage":"VOLATILE"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","format":"FPE_SIX_T_FOUR"}]}"#,
            #"{"data":[{"value":7716253490,"format":"UUID"}]}"#, #"{"data":[{"value":"qz8817plantedSecret"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","alias":"a","format":"UUID"}]}"#,
            #"{"data":[{"value":"qz8817plantedSecret","format":"UUID","classifiers":[7716253490]}]}"#,
            #"{"data":[{"value":"4716108499218806","format":"FPE_SIX_T_FOUR"}]}"#,
            #"{"data":[{"value":"qz8817unfinished"#,
            #"{"data":[{"value":"qz8817plantedSecret","value":"x","format":"UUID"}]}"#,
        ])

    private static let others = [
        Sent(method: "GET", target: "/v1/forms/checkout?x=qz8817query", headers: dev),
        Sent(method: "GET", target: "/aliases?q=&x=qz8817query", headers: dev),
        Sent(method: "GET", target: "/health/live?x=qz8817query"),
        Sent(
            method: "POST", target: "/v1/forms/checkout/validate", headers: ["Content-Type": "qz8817media"],
            body: "qz8817media"),
        Sent(
            method: "POST", target: "/v1/forms/checkout/aliases", headers: dev,
            body: String(repeating: "qz8817number", count: 100_000)),
    ]

    /// Bytes that are no request, with a value in every place.
    static let malformed = [
        "qz8817method /v1/forms HTTP/1.1\r\nHost: a\r\nX : qz8817header\r\n\r\n", "qz8817method\r\n\r\n",
        "GET /qz8817target\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/forms HTTP/1.1\r\nHost: qz8817host/x\r\n\r\n",
        "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX: qz8817header\u{0}\r\n\r\n", "GET / qz8817target\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Length: qz8817header\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: qz8817header\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nqz8817chunk\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nqz8817chunk\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: qz8817trailer\u{0}\r\n\r\n",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\nqz8817unfinished",
        "POST /v1/forms/memo/send HTTP/1.1\r\nHost: a\r\nExpect: qz8817header\r\nContent-Length: 2\r\n\r\n{}",
        "GET /v1/forms HTTP/1.1\r\nHost: a\r\nX-Request-Id: qz8817header \r\nX: \(String(repeating: "qz8817header", count: 4_000))\r\n\r\n",
        "GET /\(String(repeating: "qz8817target", count: 1_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
}
