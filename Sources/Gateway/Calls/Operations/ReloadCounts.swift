import Synchronization

/// Counts reloads by outcome, and keeps the last one's report. What needs a restart needs it until a reload finds that it does not any
/// more: a refused one has found nothing.
final class ReloadCounts: Sendable {
    private let reports = Mutex<(counts: [ReloadReport.Outcome: Int], last: ReloadReport?)>(([:], nil))

    func add(_ report: ReloadReport) {
        reports.withLock { reports in
            reports.counts[report.outcome, default: 0] += 1
            let before = reports.last?.needsRestart ?? []
            reports.last = report
            if report.outcome == .refused { reports.last?.needsRestart = before }
        }
    }

    /// Of the last reload, with what needs a restart by now; nil if there was none.
    var last: ReloadReport? { reports.withLock { $0.last } }

    func write(into text: inout MetricsText) {
        let (counts, last) = reports.withLock { $0 }
        text.begin(
            "cloakroom_reloads_total", .counter,
            "Reloads by outcome: taken, partlyNeedsRestart, or refused because of a mistake that keeps all of the old configuration."
        )
        for outcome in ReloadReport.Outcome.allCases {
            text.sample(["outcome": outcome.rawValue], Double(counts[outcome] ?? 0))
        }
        text.single(
            "cloakroom_reload_successful", .gauge, "Whether the last reload had no mistake: 1 or 0.",
            last?.outcome == .refused ? 0 : 1)
        text.single(
            "cloakroom_keys_that_need_restart", .gauge, "Keys of the configuration whose new values need a restart.",
            last?.needsRestart.count ?? 0)
    }
}
