import EventHTTP
import HTTPWire
public import Logging
import Synchronization
import Vault

/// What the gateway tells about itself: log lines and counters. Nothing in either comes from a body.
public final class Telemetry: Sendable {
    /// For everything that is not a request.
    public let logger: Logger
    private let sink: LogSink
    private let format: LogConfiguration.Format
    private let logsRequests: Bool

    /// Of every router.
    private let requests = Mutex<[RequestCounts]>([])
    private let refusals = Counter()
    private let exhaustedPatterns = Counter()
    private let reveals = Counter()
    private let breakers = Mutex<[CircuitBreaker]>([])
    private let upstreamFailures = Mutex<[Int: Int]>([:])

    public init(_ configuration: LogConfiguration, sink: LogSink) {
        self.sink = sink
        format = configuration.format
        logsRequests = configuration.level <= .info
        logger = Logger(label: "cloakroom") { _ in
            LineLogHandler(sink: sink, format: configuration.format, logLevel: configuration.level)
        }
    }

    /// Where another router counts its requests.
    func newRequestCounts() -> RequestCounts {
        let counts = RequestCounts()
        requests.withLock { $0.append(counts) }
        return counts
    }

    /// Logs an answered request.
    ///
    /// - Parameters:
    ///   - form: that was called, if there is one of that name.
    ///   - bytesOut: of the body that was sent.
    ///   - microseconds: how long it took.
    func log(
        _ call: Call, _ endpoint: Endpoint, form: String?, _ answer: Answer, bytesOut: Int, microseconds: Int64
    ) {
        guard logsRequests else { return }
        let line = AccessLine(
            method: call.head.method.loggedName, kind: endpoint.kind, form: form, answer: answer, requestID: call.id,
            microseconds: microseconds, bytesIn: call.request.body.count, bytesOut: bytesOut)
        sink.append(line.text(format))
    }

    /// When something begins whose time is logged with its request; nil if requests are not logged.
    var startOfTiming: Int64? { logsRequests ? WallClock.monotonicMicroseconds : nil }

    func microseconds(since start: Int64?) -> Int64? { start.map { WallClock.monotonicMicroseconds - $0 } }

    /// Counts and logs a request that the wire layer refused.
    func recordRefusal(_ refusal: Refusal, _ endpoint: Endpoint, _ answer: Answer, id: String) {
        refusals.add()
        guard logsRequests else { return }
        let method = refusal.head?.method.loggedName ?? "-"
        let line = AccessLine(
            method: method, kind: endpoint.kind, form: nil, answer: answer, requestID: id, microseconds: 0, bytesIn: 0,
            bytesOut: answer.body.count)
        sink.append(line.text(format))
    }

    func recordExhaustedPatterns(_ names: [String], form: String) {
        exhaustedPatterns.add(names.count)
        logger.warning("a pattern ran into its match limit", metadata: ["form": "\(form)", "fields": "\(names)"])
    }

    func recordReveal(count: Int, credential: String, requestID: String) {
        reveals.add(count)
        logger.info(
            "aliases revealed",
            metadata: ["count": "\(count)", "credential": "\(credential)", "requestId": "\(requestID)"])
    }

    /// Logs what is wrong with the vault; what is wrong with a request is told to its caller alone.
    func recordVaultFailure(_ error: VaultError) {
        switch error {
        case .unknownAliases, .repeatedReference, .valueDoesNotFit: break
        case .aliasSpaceExhausted, .volatileStorageFull, .unavailable: logger.warning("\(error)")
        case .outcomeUnknown, .damaged, .corrupt, .wrongMasterKey, .unusableMasterKey, .cryptography:
            logger.error("\(error)")
        }
    }

    func recordUpstreamFailure(_ error: ClientError, route: String, requestID: String) {
        upstreamFailures.withLock { $0[error.code, default: 0] += 1 }
        logger.warning(
            "an upstream failed", metadata: ["route": "\(route)", "reason": "\(error)", "requestId": "\(requestID)"])
    }

    /// Shows how often the upstreams of these routes are rested.
    func watch(_ breakers: [CircuitBreaker]) { self.breakers.withLock { $0 = breakers } }

    func recordRest(of route: String) {
        logger.warning("an upstream keeps failing and is rested", metadata: ["route": "\(route)"])
    }

    /// Writes the counters in Prometheus' text format.
    func write(into text: inout MetricsText) {
        let requests = requests.withLock { $0 }
        text.begin("cloakroom_requests_total", .counter, "Requests answered, by call and class of status.")
        for kind in EndpointKind.allCases {
            for statusClass in 1...5 {
                let count = requests.reduce(0) { $0 + $1.answers(kind, class: statusClass) }
                guard count > 0 else { continue }
                text.sample(["route": kind.rawValue, "status": "\(statusClass)xx"], Double(count))
            }
        }
        text.begin("cloakroom_request_seconds", .histogram, "Time from a whole request to its answer.")
        for kind in EndpointKind.allCases {
            let taken = requests.reduce(into: LatencyHistogram.Snapshot()) { $0 += $1.latencies(kind) }
            guard taken.counts.contains(where: { $0 > 0 }) else { continue }
            text.histogram(
                ["route": kind.rawValue], LatencyHistogram.bounds, taken.counts, sum: Double(taken.sum) / 1e6)
        }
        text.single("cloakroom_refused_requests_total", .counter, "Requests refused by the wire layer.", refusals.value)
        text.single("cloakroom_reveals_total", .counter, "Aliases revealed.", reveals.value)
        text.single(
            "cloakroom_exhausted_patterns_total", .counter, "Pattern matches stopped by their limit.",
            exhaustedPatterns.value)
        text.single("cloakroom_dropped_log_lines_total", .counter, "Log lines that did not fit.", sink.droppedLines)
        text.begin("cloakroom_upstream_failures_total", .counter, "Exchanges without an answer, by error code.")
        for (code, count) in upstreamFailures.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.sample(["code": String(code)], Double(count))
        }
        let breakers = breakers.withLock { $0 }
        text.begin("cloakroom_upstream_resting", .gauge, "Whether the upstream of a route is being rested.")
        for breaker in breakers { text.sample(["route": breaker.route], breaker.isResting ? 1 : 0) }
        text.begin("cloakroom_upstream_rests_total", .counter, "How often it began to be.")
        for breaker in breakers { text.sample(["route": breaker.route], Double(breaker.rests.value)) }
        text.begin("cloakroom_upstream_rest_refusals_total", .counter, "Requests refused meanwhile.")
        for breaker in breakers { text.sample(["route": breaker.route], Double(breaker.refusals.value)) }
    }
}

extension Method {
    /// The name, unless it is one that nobody defined: that may be anything.
    fileprivate var loggedName: String {
        if case .other = self { "OTHER" } else { name }
    }
}

extension ClientError {
    /// As callers see it.
    fileprivate var code: Int {
        switch self {
        case .timedOut, .readerTooSlow: -1001
        case .cannotFindHost: -1003
        case .cannotConnectToHost: -1004
        case .networkConnectionLost: -1005
        case .secureConnectionFailed: -1200
        case .badServerResponse, .answerTooLarge, .headTooLarge: -1011
        case .unexpectedResponseType: 1400
        case .overloaded: 503
        case .unsendableRequest, .cancelled: 0
        }
    }
}
