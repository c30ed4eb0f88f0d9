import FormSchema

/// Card numbers that were found in one body or head.
struct GuardFinding: Sendable {
    /// What they were found in.
    enum Passage: String, CaseIterable, Sendable {
        /// What is sent to an upstream.
        case request
        /// What an upstream returns.
        case response
        /// What a call returns to its caller.
        case result
    }

    /// The form or the route whose guard has found them.
    enum Scope: Sendable {
        case form(String)
        case route(String)

        var kind: String { if case .form = self { "form" } else { "route" } }
        var name: String {
            switch self {
            case .form(let name), .route(let name): name
            }
        }
    }

    let scope: Scope
    let passage: Passage
    let action: FormSchema.Guard.Action
    /// How many there are.
    let count: Int
    /// Where the first of them are: JSON pointers, offsets, names of headers.
    let places: [String]
}

/// Counts of what the guard found, by passage and action.
final class GuardFindings: Sendable {
    private typealias GuardAction = FormSchema.Guard.Action
    private let counters = GuardFinding.Passage.allCases.map { _ in GuardAction.allCases.map { _ in Counter() } }

    func count(_ finding: GuardFinding) {
        for (row, passage) in zip(counters, GuardFinding.Passage.allCases) where passage == finding.passage {
            for (counter, action) in zip(row, GuardAction.allCases) where action == finding.action {
                counter.add(finding.count)
            }
        }
    }

    func write(into text: inout MetricsText) {
        text.begin(
            "cloakroom_guard_findings_total", .counter,
            "Card numbers found where none is meant to be, by what they were found in and what was done.")
        for (row, passage) in zip(counters, GuardFinding.Passage.allCases) {
            // Every action from 0: Prometheus' `increase` ignores the first sample of a series.
            for (counter, action) in zip(row, GuardAction.allCases) where action != .off {
                text.sample(["passage": passage.rawValue, "action": action.rawValue], Double(counter.value))
            }
        }
    }
}
