import Synchronization

/// Counts reloads by outcome.
final class ReloadCounts: Sendable {
    private let taken = Counter()
    private let refused = Counter()
    private let wasRefused = Atomic(false)

    func add(isTaken: Bool) {
        (isTaken ? taken : refused).add()
        wasRefused.store(!isTaken, ordering: .relaxed)
    }

    func write(into text: inout MetricsText) {
        text.begin(
            "cloakroom_reloads_total", .counter,
            "Reloads by outcome: taken, or refused where a mistake keeps the last good version in use.")
        text.sample(["outcome": "taken"], Double(taken.value))
        text.sample(["outcome": "refused"], Double(refused.value))
        text.single(
            "cloakroom_reload_successful", .gauge, "Whether the last reload had no mistake: 1 or 0.",
            wasRefused.load(ordering: .relaxed) ? 0 : 1)
    }
}
