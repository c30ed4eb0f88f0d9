import Access
import Vault

/// What callers have of the aliases of formats that can make only few of them, once those are almost used up
/// (`docs/reference/access.md` section 4).
final class NarrowSpaceShares: Sendable {
    private let spaces = SpaceShares()
    /// Seconds that a volatile value lives.
    private let lifetime: Int64
    private let refusals = Counter()
    /// Seconds over which the persistent aliases of a narrow space are counted for a caller.
    private static let day: Int64 = 86_400

    /// - Parameter lifetime: `vault.volatile.ttl`, in seconds.
    init(lifetime: Int64, telemetry: Telemetry) {
        self.lifetime = lifetime
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Takes an alias of the space for the caller. Returns the seconds after which it may have one; nil if it has it.
    func take(from space: AliasAdmission.Space, for holder: Shares.Holder) -> Int? {
        let outcome = spaces.claim(
            in: space.id, of: space.size, used: space.used, for: holder,
            window: space.storage == .volatile ? lifetime : Self.day,
            at: SystemClock.monotonicMilliseconds / 1_000)
        guard case .refused(let wait) = outcome else { return nil }
        refusals.add()
        return wait
    }

    private func write(into text: inout MetricsText) {
        text.single(
            "cloakroom_alias_share_refusals_total", .counter,
            "Requests refused because their caller's share of a narrow format's aliases was used up.",
            refusals.value)
    }
}
