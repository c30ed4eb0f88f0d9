import Configuration
import EventHTTP
import FormSchema
import HTTPWire
import Logging
import Synchronization
import Vault

/// Log lines and metrics. Nothing in either comes from a body.
final class Telemetry: Sendable {
    /// For everything but the access log.
    let logger: Logger
    private let sink: LogSink
    private let format: LogSettings.Format
    /// What is logged. A reload may change it.
    private let level: LogLevel
    /// Whether there is an access log.
    var logsRequests: Bool { level.value <= .info }

    /// One for each loop.
    private let requests = Mutex<[RequestCounts]>([])
    private let rejections = Counter()
    private let exhaustedPatterns = Counter()
    private let reveals = Counter()
    private let guardFindings = GuardFindings()
    private let sources = Mutex<[(name: String, write: @Sendable (inout MetricsText) -> Void)]>([])
    private let repeatedWarnings = Mutex(RepeatedWarnings())
    private let upstreamFailures = Mutex<[Int: Int]>([:])

    /// Logs to the sink what the settings say.
    init(_ configuration: LogSettings, sink: LogSink) {
        self.sink = sink
        format = configuration.format
        let level = LogLevel(Logger.Level(configuration.level))
        self.level = level
        logger = Logger(label: "cloakroom") { _ in
            LineLogHandler(sink: sink, format: configuration.format, level: level)
        }
    }

    /// Logs from another level on, in all copies of the logger.
    func replaceLevel(_ new: LogSettings.Level) { level.value = Logger.Level(new) }

    /// New counters for one loop. A reload replaces the loop's router; the new one continues these counters.
    func newRequestCounts() -> RequestCounts {
        let counts = RequestCounts()
        requests.withLock { $0.append(counts) }
        return counts
    }

    /// Writes a line to the access log. Called only if `logsRequests`.
    func log(_ line: AccessLine) { sink.append(line.text(format)) }

    /// The start of an exchange whose duration is logged; nil if requests are not logged, to save the clock's read.
    var startOfTiming: Int64? { logsRequests ? SystemClock.monotonicMicroseconds : nil }

    func microseconds(since start: Int64?) -> Int64? { start.map { SystemClock.monotonicMicroseconds - $0 } }

    /// Counts a request that the HTTP layer refused.
    func countRejection() { rejections.add() }

    func recordExhaustedPatterns(_ names: [String], form: String) {
        exhaustedPatterns.add(names.count)
        logger.warning("a pattern reached its match limit", metadata: ["form": "\(form)", "fields": "\(names)"])
    }

    func recordReveal(count: Int, credential: String, requestID: String) {
        reveals.add(count)
        logger.info(
            "aliases revealed",
            metadata: ["count": "\(count)", "credential": "\(credential)", "requestId": "\(requestID)"])
    }

    /// Counts and logs card numbers that were found where none is meant to be. The log has their places, never the numbers.
    func recordCardNumbers(_ finding: GuardFinding, requestID: String) {
        guardFindings.count(finding)
        logger.warning(
            "a card number was found",
            metadata: [
                "count": "\(finding.count)", "places": "\(finding.places)", "passage": "\(finding.passage.rawValue)",
                "action": "\(finding.action.rawValue)", "\(finding.scope.kind)": "\(finding.scope.name)",
                "requestId": "\(requestID)",
            ])
    }

    /// Logs a warning that may come again and again: one line a minute for each text, with `alsoBefore`, how many were left out.
    func warnOncePerMinute(_ text: String) {
        let now = SystemClock.monotonicMicroseconds
        guard let left = repeatedWarnings.withLock({ $0.count(text, at: now) }) else { return }
        logger.warning("\(text)", metadata: left > 0 ? ["alsoBefore": "\(left)"] : [:])
    }

    /// Seconds by which clocks may differ before it is told.
    private static let clockTolerance: UInt64 = 5

    /// Logs, once a minute, that this process's clock is another one than the database server's, which the vault goes by.
    func noteClock(aheadBy seconds: Int64?) {
        guard let seconds, seconds.magnitude > Self.clockTolerance else { return }
        warnOncePerMinute(
            "the clock of this process differs from the database server's by more than \(Self.clockTolerance) s")
    }

    /// Logs errors of the vault. Errors of a request are returned to its caller and not logged.
    func recordVaultFailure(_ error: VaultError) {
        switch error {
        case .unknownAliases, .outOfReach, .repeatedReference, .valueDoesNotFit, .unsuitableClassifiers,
            .tooManyAliases, .revealTooLarge:
            break
        // Once a minute each: a disk that is full would be filled by the log of its refusals.
        case .aliasSpaceExhausted, .aliasShareUsed, .revealsBusy, .volatileStorageFull, .overloaded, .unavailable:
            warnOncePerMinute("\(error)")
        case .outcomeUnknown, .damaged, .damagedFleeting, .corrupt, .wrongMasterKey, .unusableMasterKey, .cryptography:
            logger.error("\(error)")
        }
    }

    /// The error of a call that the vault has failed, which is recorded.
    func callError(of error: VaultError) -> CallError {
        recordVaultFailure(error)
        return CallError(error)
    }

    /// - Parameter route: whose upstream it is; nil of the remote vault.
    func recordUpstreamFailure(_ error: ClientError, route: String?, requestID: String) {
        upstreamFailures.withLock { $0[error.code, default: 0] += 1 }
        switch error {
        case .overloaded: return warnOncePerMinute("a request got no connection to an upstream (pool)")
        // The process ends.
        case .cancelled: return
        case .noRoom(nil): return warnOncePerMinute("a request was refused: its response would have had no room")
        default: break
        }
        let reason: Logger.Metadata = ["reason": "\(error)", "requestId": "\(requestID)"]
        guard let route else { return logger.warning("the remote vault failed", metadata: reason) }
        logger.warning("an upstream failed", metadata: reason.merging(["route": "\(route)"]) { $1 })
    }

    func recordOpenedCircuit(of route: String) {
        logger.warning("an upstream keeps failing; its circuit breaker has opened", metadata: ["route": "\(route)"])
    }

    /// Adds metrics that another part of the gateway counts. A part that a reload has made again takes the place of the one before,
    /// which was added at the same place of the program.
    func addMetrics(
        at file: StaticString = #fileID, line: UInt = #line, _ source: @escaping @Sendable (inout MetricsText) -> Void
    ) {
        let name = "\(file):\(line)"
        sources.withLock { sources in
            if let index = sources.firstIndex(where: { $0.name == name }) {
                sources[index].write = source
            } else {
                sources.append((name, source))
            }
        }
    }

    /// Writes all metrics in Prometheus' text format.
    func write(into text: inout MetricsText) {
        let requests = requests.withLock { $0 }
        text.begin("cloakroom_requests_total", .counter, "Responses by URL pattern and class of status.")
        for pattern in Endpoint.Pattern.allCases {
            for statusClass in 1...5 {
                let count = requests.reduce(0) { $0 + $1.responses(pattern, class: statusClass) }
                // What is alerted on is there from 0: Prometheus' `increase` ignores the first sample of a series.
                guard count > 0 || statusClass == 5 else { continue }
                text.sample(["route": pattern.text, "status": "\(statusClass)xx"], Double(count))
            }
        }
        text.begin("cloakroom_request_seconds", .histogram, "Time from the complete request to its response.")
        for pattern in Endpoint.Pattern.allCases {
            let taken = requests.reduce(into: LatencyHistogram.Snapshot()) { $0 += $1.latencies(pattern) }
            guard taken.counts.contains(where: { $0 > 0 }) else { continue }
            text.histogram(
                ["route": pattern.text], LatencyHistogram.bounds, taken.counts, sum: Double(taken.sum) / 1e6)
        }
        text.single(
            "cloakroom_refused_requests_total", .counter,
            "Requests refused by the HTTP layer: malformed, too large or too slow.", rejections.value)
        text.single("cloakroom_reveals_total", .counter, "Aliases revealed.", reveals.value)
        text.single(
            "cloakroom_exhausted_patterns_total", .counter, "Pattern matches stopped by their limit.",
            exhaustedPatterns.value)
        text.single(
            "cloakroom_dropped_log_lines_total", .counter,
            "Log lines that did not fit into the buffer or could not be written.",
            sink.droppedLines)
        guardFindings.write(into: &text)
        text.begin(
            "cloakroom_upstream_failures_total", .counter, "Exchanges with upstreams that failed, by error code.")
        let failures = upstreamFailures.withLock { $0 }
        for code in failures.keys.reduce(into: ClientError.codes, { $0.insert($1) }).sorted() {
            text.sample(["code": String(code)], Double(failures[code] ?? 0))
        }
        for source in sources.withLock({ $0 }) { source.write(&text) }
    }
}

extension ClientError {
    /// All codes.
    fileprivate static let codes: Set = [-1200, -1011, -1005, -1004, -1003, -1001, 0, 503, 1400]

    /// The label `code`: that of the problem; 503 where there was no connection or no room to be had, 0 for what is not about the upstream.
    fileprivate var code: Int { problemCode ?? (self == .overloaded || self == .noRoom() ? 503 : 0) }
}

extension Logger.Level {
    /// The level of `log.level`.
    init(_ level: LogSettings.Level) {
        switch level {
        case .trace: self = .trace
        case .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        case .critical: self = .critical
        }
    }
}
