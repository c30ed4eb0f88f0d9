import JSON
import Testing

@testable import Gateway

@Suite struct TelemetryTests {
    private var line: AccessLine {
        var answer = Answer(status: 404, body: [1, 2, 3])
        answer.upstreamStatus = 404
        return AccessLine(
            method: "POST", kind: .send, answer: answer, requestID: "r-1", microseconds: 42, bytesIn: 17, bytesOut: 3)
    }

    @Test func accessLinesAreOneObjectEach() throws {
        let text = line.text(.json)
        #expect(text.last == UInt8(ascii: "\n"))
        let object = try #require(try JSONValue.parse(text).object)
        #expect(
            object.members.map(\.key) == [
                "time", "level", "message", "method", "route", "status", "microseconds", "bytesIn", "bytesOut",
                "requestId", "upstreamStatus",
            ])
        #expect(object["route"]?.string == "/v1/forms/{form}/send/{path}")
    }

    @Test func accessLinesForPeople() {
        let text = String(decoding: line.text(.text), as: UTF8.self)
        #expect(
            text.hasSuffix(
                " info POST /v1/forms/{form}/send/{path} 404 42us in=17 out=3 requestId=r-1 upstream=404\n"))
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
}
