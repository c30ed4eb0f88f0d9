import Access
import JSON
import Testing

@testable import Configuration
@testable import Gateway

@Suite struct TelemetryTests {
    private var caller: Caller {
        Caller(credential: "shop", Permissions(scopes: []), at: ClientAddress(IPAddress(v4: 0xC000_0201)))
    }
    /// A card number, what ends a line, moves a cursor or turns a text round, and more than is kept.
    private let agent = "a\"4539600166594134\n\u{9B}\u{202E}\u{2028}" + String(repeating: "é", count: 200)

    private var line: AccessLine { line(of: agent) }

    private func line(of agent: String) -> AccessLine {
        var response = CallResponse(status: 404, body: [1, 2, 3])
        response.upstreamStatus = 404
        response.exchange = ExchangeRecord(route: "orders", microseconds: 21)
        return AccessLine(
            method: "POST", pattern: .send, form: "checkout", response: response, requestID: "r-1", microseconds: 42,
            bytesIn: 17,
            bytesOut: 3, client: IPAddress(v4: 0xC000_0201), caller: caller, userAgent: agent)
    }

    @Test func accessLinesAreOneObjectEach() throws {
        let text = line.text(.json)
        #expect(text.last == UInt8(ascii: "\n"))
        let object = try #require(try JSONValue.parse(text).object)
        #expect(
            object.members.map(\.key) == [
                "time", "level", "message", "method", "route", "status", "microseconds", "bytesIn", "bytesOut",
                "requestId", "client", "credential", "userAgent", "form", "upstream", "upstreamStatus",
                "upstreamMicroseconds",
            ])
        #expect(object["route"]?.string == "/v1/forms/{form}/send/{path}")
        #expect(object["client"]?.string == "192.0.2.1" && object["credential"]?.string == "shop")
        let kept = try #require(object["userAgent"]?.string)
        #expect(kept.unicodeScalars.count == 120 && !kept.contains("4539600166594134"))
        #expect(kept.hasPrefix("a\"************4134    é"))
    }

    /// Cut, a number would not be known as one.
    @Test(arguments: [
        "4539600166594134", "4539 6001 6659 4134",
        "4539600166594134".unicodeScalars.map { "%\(String($0.value, radix: 16))" }.joined(),
    ])
    func noPartOfANumberThatEndsBehindTheCut(_ number: String) throws {
        for count in 120 - number.count...120 {
            let agent = String(repeating: "a", count: count - 1) + " " + number + " z"
            let kept = try #require(try JSONValue.parse(line(of: agent).text(.json)).object?["userAgent"]?.string)
            let digits = kept.replacing("%3", with: "").filter(\.isNumber)
            #expect(kept.unicodeScalars.count <= 120 && "4134".hasPrefix(digits), "\(count): \(kept)")
        }
    }

    @Test func accessLinesForPeople() {
        let text = String(decoding: line.text(.text), as: UTF8.self)
        #expect(
            text.hasSuffix(
                " info POST /v1/forms/{form}/send/{path} 404 microseconds=42 bytesIn=17 bytesOut=3 requestId=r-1 form=checkout client=192.0.2.1 "
                    + "credential=shop upstream=orders upstreamStatus=404 upstreamMicroseconds=21 userAgent=\"a'************4134    "
                    + String(repeating: "é", count: 98) + "\"\n"))
    }

    @Test func metricsText() {
        var text = MetricsText()
        text.single("a_total", .counter, "All of a.", 3)
        text.begin("b", .gauge, "B.")
        text.sample(["x": "1"], 0.25)
        text.begin("c", .histogram, "C.")
        text.histogram(["r": "/"], [500, 1_000], [1, 0, 2], sum: 1.5)
        #expect(
            text.text == """
                # HELP a_total All of a.
                # TYPE a_total counter
                a_total 3
                # HELP b B.
                # TYPE b gauge
                b{x="1"} 0.25
                # HELP c C.
                # TYPE c histogram
                c_bucket{r="/",le="0.0005"} 1
                c_bucket{r="/",le="0.001"} 1
                c_bucket{r="/",le="+Inf"} 3
                c_sum{r="/"} 1.5
                c_count{r="/"} 3

                """)
    }

    /// The increase of a series that begins at 1 is 0: what is alerted on is there before it is counted.
    @Test(
        arguments: [
            #"cloakroom_guard_findings_total{passage="request",action="report"}"#,
            #"cloakroom_guard_findings_total{passage="result",action="refuse"}"#,
            #"cloakroom_upstream_failures_total{code="-1004"}"#,
            #"cloakroom_requests_total{route="/aliases",status="5xx"}"#,
        ])
    func whatIsAlertedOnBeginsAtZero(_ series: String) throws {
        var text = MetricsText()
        Telemetry(LogSettings(), sink: try LogSink()).write(into: &text)
        #expect(text.text.split(separator: "\n").contains { $0 == series + " 0" })
    }

    /// Each loop counts for itself; who asks is told of all of them.
    @Test func metricsAddUpWhatTheLoopsCounted() throws {
        let telemetry = Telemetry(LogSettings(), sink: try LogSink())
        let loops = (0..<3).map { _ in telemetry.newRequestCounts() }
        for (index, counts) in loops.enumerated() {
            for _ in 0...index { counts.count(.validate, status: 200) }
            counts.record(.validate, microseconds: 400)
            counts.record(.validate, microseconds: 600)
        }
        loops[1].count(.validate, status: 422)
        loops[2].count(.send, status: 999)
        var text = MetricsText()
        telemetry.write(into: &text)
        let lines = text.text.split(separator: "\n")
        let route = "route=\"/v1/forms/{form}/validate\""
        #expect(lines.contains { $0 == "cloakroom_requests_total{\(route),status=\"2xx\"} 6" })
        #expect(lines.contains { $0 == "cloakroom_requests_total{\(route),status=\"4xx\"} 1" })
        #expect(
            lines.contains {
                $0.hasPrefix("cloakroom_requests_total{route=\"/v1/forms/{form}/send/{path}\",status=\"5xx\"} 1")
            })
        #expect(lines.contains { $0 == "cloakroom_request_seconds_bucket{\(route),le=\"0.0005\"} 3" })
        #expect(lines.contains { $0 == "cloakroom_request_seconds_bucket{\(route),le=\"0.001\"} 6" })
        #expect(lines.contains { $0 == "cloakroom_request_seconds_sum{\(route)} 0.003" })
        #expect(lines.contains { $0 == "cloakroom_request_seconds_count{\(route)} 6" })
    }
}
