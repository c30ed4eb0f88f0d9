import Foundation
import JSON
import Synchronization
import Testing

/// What went out never comes back (proxy, section 7): upstreams of every behaviour, through the real binary.
@Suite(.waits) struct ReturnedValueTests {
    private static let card = "4539600166594134"
    private let behaviours: Behaviours
    private let upstream: Upstream
    private let gateway: GatewayProcess

    /// What the upstream does with the next request: pieces that it sends one by one, as they are.
    private final class Behaviours: Sendable {
        private let next = Mutex<[[UInt8]]>([])

        func set(_ pieces: [[UInt8]]) { next.withLock { $0 = pieces } }
        var pieces: [[UInt8]] { next.withLock { $0 } }
    }

    init() throws {
        let behaviours = Behaviours()
        self.behaviours = behaviours
        upstream = try Upstream { upstream, connection in
            _ = try upstream.receive(connection)
            for (index, piece) in behaviours.pieces.enumerated() {
                // So that it is another read.
                if index > 0, index < 40 { usleep(2_000) }
                try connection.send(piece)
            }
        }
        let configuration = """
            \(Setting.base)
            routes:
              - name: acquirer
                kind: reveal
                url: http://127.0.0.1:\(upstream.port)/in
                allowPlaintext: true
                methods: [POST]
                responseHeaders: [Content-Type, Location, Set-Cookie, X-Note]
                reveal: {body: [/pan, /cvc]}
            """
        gateway = try GatewayProcess(in: Setting.workspace(configuration))
    }

    private func alias(_ value: String, _ format: String, _ storage: String = "PERSISTENT") throws -> String {
        let answer = try gateway.vault(
            "POST", "/aliases", #"{"data":[{"value":"\#(value)","format":"\#(format)","storage":"\#(storage)"}]}"#)
        return try #require(answer.json()["data"]?.array?.first?["aliases"]?.array?.first?.string("alias"))
    }

    private func call(_ alias: String, cvc: String? = nil, _ pieces: [[UInt8]]) throws -> Message {
        behaviours.set(pieces)
        let code = cvc.map { #","cvc":"\#($0)""# } ?? ""
        return try gateway.post("/v1/routes/acquirer/charges", #"{"pan":"\#(alias)"\#(code)}"#, as: .dev)
    }

    private enum Framing: CaseIterable { case length, chunked, untilClose }

    private func response(
        _ status: Int, _ type: String, _ body: [UInt8], _ framing: Framing, headers: String = ""
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(status) X\r\nContent-Type: \(type)\r\n\(headers)"
        switch framing {
        case .length: head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        case .untilClose: head += "Connection: close\r\n\r\n"
        case .chunked:
            head += "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            return Array((head + String(body.count, radix: 16) + "\r\n").utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        }
        return Array(head.utf8) + body
    }

    /// How a value may be written.
    private static let encodings: [(name: String, write: @Sendable (String) -> String)] = [
        ("as it is", { $0 }), ("by spaces", { grouped($0, " ") }), ("by hyphens", { grouped($0, "-") }),
        ("percent-encoded", { $0.utf8.map { "%" + String($0, radix: 16) }.joined() }),
        ("partly percent-encoded", { "%3" + $0.prefix(1) + grouped($0, "%20").dropFirst() }),
        ("escaped as JSON", { $0.utf8.map { "\\u00" + String($0, radix: 16, uppercase: true) }.joined() }),
        ("partly escaped as JSON", { String($0.prefix(7)) + "\\u003" + String($0.dropFirst(7)) }),
    ]

    private static func grouped(_ value: String, _ separator: String) -> String {
        stride(from: 0, to: value.count, by: 4).map { String(value.dropFirst($0).prefix(4)) }.joined(
            separator: separator)
    }

    /// Where it may stand: content type, and the body around it.
    private static let places: [(type: String, body: @Sendable (String) -> String)] = [
        ("application/json", { #"{"id":"\#($0)"}"# }), ("application/json", { #"{"error":"card \#($0) declined"}"# }),
        ("application/json", { #"{"\#($0)":true,"n":1.0}"# }), ("application/problem+json", { #"[["a",["\#($0)"]]]"# }),
        ("text/plain; charset=utf-8", { "card \($0)\n" }), ("text/html", { "<p class=\"\($0)\">no</p>" }),
        ("application/x-www-form-urlencoded", { "a=1&card=\($0)&b" }),
    ]

    @Test func aTableOfBehavioursPlacesAndEncodings() throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        var count = 0
        for status in [200, 402, 500] {
            for (type, body) in Self.places {
                for (name, write) in Self.encodings {
                    let written = write(Self.card)
                    // A backslash that is doubled is no escape of the value in JSON; there it is written otherwise.
                    let framing = Framing.allCases[count % Framing.allCases.count]
                    let bytes = response(
                        status, type, Array(body(written).utf8), framing, headers: "Location: /x?card=\(written)\r\n")
                    // Split within the value.
                    let split = bytes.count - 9 - count % 12
                    let answer = try call(alias, [Array(bytes[..<split]), Array(bytes[split...])])
                    let context = "\(status) \(type) \(name) \(framing)"
                    #expect(answer.status == status && answer.bodyText == body(alias), "\(context): \(answer.bodyText)")
                    #expect(answer["Location"] == "/x?card=\(alias)", "\(context)")
                    count += 1
                }
            }
        }
        #expect(count == 3 * 7 * 7 && upstream.requests.count == count)
        #expect(
            upstream.requests.allSatisfy {
                $0.bodyText == #"{"pan":"\#(Self.card)"}"# && $0["Accept-Encoding"] == "identity"
            })
        #expect(!gateway.log.contains(Self.card))
    }

    @Test(arguments: [
        #"{"a":4539600166594134}"#, #"{"a":4539600166594134.0}"#, #"{"a":4.539600166594134e15}"#,
        #"{"a":4.539600166594134E+15}"#,
        #"{"a":[45396001665941340e-1]}"#,
    ])
    func numbersBecomeTexts(body: String) throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        let answer = try call(alias, [response(200, "application/json", Array(body.utf8), .length)])
        #expect(answer.bodyText == (body.contains("[") ? #"{"a":["\#(alias)"]}"# : #"{"a":"\#(alias)"}"#))
    }

    @Test func codesInSentences() throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        let code = try self.alias("321", "UUID", "VOLATILE")
        let body = #"{"message":"cvc 321 is wrong","cvc":"321","n":321,"amount":1321,"id":"a321b-321c"}"#
        let answer = try call(alias, cvc: code, [response(402, "application/json", Array(body.utf8), .chunked)])
        #expect(
            answer.bodyText
                == #"{"message":"cvc \#(code) is wrong","cvc":"\#(code)","n":"\#(code)","amount":1321,"id":"a321b-321c"}"#
        )
    }

    @Test(arguments: [
        ("application/octet-stream", ""), ("image/png", ""), ("application/json", "Content-Encoding: gzip\r\n"),
        ("text/plain; charset=utf-16", ""), ("multipart/form-data; boundary=x", ""),
    ])
    func whatCannotBeSearchedIsWithheld(type: String, headers: String) throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        for size in [100, 200_000] {
            let body = Array((Self.card + String(repeating: "x", count: size)).utf8)
            for framing in Framing.allCases {
                let answer = try call(alias, [response(201, type, body, framing, headers: headers)])
                #expect(answer.status == 502 && !answer.bodyText.contains(Self.card) && answer["Retry-After"] == nil)
                let error = try answer.json()["error"]
                #expect(error?.string("type") == "answerWithheld" && error?.string("domain") == "cloakroom")
                #expect(answer.bodyText.contains(#""extraInfo":{"upstreamStatus":201,"requestWasMade":true}"#))
            }
        }
    }

    @Test func whatIsTooLargeIsWithheld() throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        let head = "HTTP/1.1 201 X\r\nContent-Type: application/json\r\nContent-Length: \(17 << 20)\r\n\r\n{"
        let answer = try call(alias, [Array(head.utf8)])
        #expect(answer.status == 502 && answer.bodyText.contains(#""upstreamStatus":201,"requestWasMade":true"#))
    }

    /// Streamed: 3 MiB with the value in it a hundred times, in random writings, sent in random pieces.
    @Test(arguments: [1, 2, 3])
    func streamedResponses(seed: UInt64) throws {
        var generator = Generator(state: seed)
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        let filler = "lorem ipsum, 2026-11-22T10:11:12Z; \\n 12.50 %20 &amp; "
        var parts: [String] = []
        var expected: [String] = []
        for _ in 0..<100 {
            let text = String(repeating: filler, count: Int.random(in: 200...800, using: &generator))
            let written = Self.encodings.randomElement(using: &generator)?.write(Self.card) ?? ""
            parts += [text, written]
            expected += [text, alias]
        }
        let body = Array(#"{"a":"\#(parts.joined())"}"#.utf8)
        for framing in Framing.allCases {
            let bytes = response(200, "application/json", body, framing)
            var pieces: [[UInt8]] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...120_000, using: &generator))
                pieces.append(Array(bytes[start..<end]))
                start = end
            }
            let answer = try call(alias, pieces)
            #expect(answer.status == 200)
            // One whose length is announced is streamed, but may become longer or shorter.
            if framing == .length { #expect(answer["Transfer-Encoding"] == "chunked") }
            #expect(answer.bodyText == #"{"a":"\#(expected.joined())"}"#)
        }
    }

    /// A body that is streamed already is broken off.
    @Test func whatTurnsOutNotToBeTextBreaksOff() throws {
        let alias = try alias(Self.card, "FPE_SIX_T_FOUR")
        let body = Array((String(repeating: "text ", count: 40_000) + "\u{0}" + Self.card).utf8)
        #expect(throws: (any Error).self) { try call(alias, [response(200, "text/plain", body, .length)]) }
    }

    /// A name can't be found where its letters are written in another way than UTF-8.
    @Test func whatTurnsOutNotToBeUTF8BreaksOff() throws {
        let alias = try alias("Zoë Müller-Lü", "UUID")
        let latin = "Zoë Müller-Lü".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let text = Array(String(repeating: "text ", count: 40_000).utf8)
        #expect(throws: (any Error).self) { try call(alias, [response(200, "text/plain", text + latin, .length)]) }
        let readable = text + Array("Zoë Müller-Lü é".utf8)
        let answer = try call(alias, [response(200, "text/plain", readable, .length)])
        #expect(answer.status == 200 && answer.bodyText.hasSuffix("text \(alias) é"))
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
