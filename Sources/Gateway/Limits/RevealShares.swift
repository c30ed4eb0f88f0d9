import Access
import Synchronization
import Vault

/// What callers have of the room for values that the vault plane reveals: a share each, from before a value is opened until the response has
/// left (`docs/reference/access.md` section 4). A client that does not read keeps its response in memory for as long as
/// `server.timeouts.body`, and may do so on every connection.
final class RevealShares: Sendable {
    /// Bytes of all responses: a credential alone has room for one of the longest values that one request may reveal, and for more of
    /// the usual ones.
    static let capacity = 4 * Vault.revealRoom
    /// Responses up to this size are not counted: there may be one for every connection.
    static let smallResponse = 16_384

    private let room = Shares(capacity: capacity)
    private let telemetry: Telemetry

    init(telemetry: Telemetry) {
        self.telemetry = telemetry
        telemetry.addMetrics { [weak self] in self?.write(into: &$0) }
    }

    /// Bytes of all responses that are counted now.
    var used: Int { room.usage.used }

    /// The share of one response, which has nothing yet.
    func share(of caller: Caller) -> Share { Share(of: self, caller.holder) }

    private func write(into text: inout MetricsText) {
        let usage = room.usage
        text.single(
            "cloakroom_revealed_bytes", .gauge,
            "Bytes of the vault plane's responses with values, from before these are opened until they have left.",
            usage.used)
        text.single("cloakroom_revealed_bytes_limit", .gauge, "Their bound.", usage.capacity)
        text.single(
            "cloakroom_reveal_refusals_total", .counter,
            "Requests refused because their caller's responses with values used up its share.", usage.refusals)
    }

    /// What one response takes of its caller's share, given back with the last reference to it.
    final class Share: RevealShare {
        private let shares: RevealShares
        private let holder: Shares.Holder
        /// The most that is counted of one response: all that a caller without others may have, since what could be stored can be revealed.
        private let most: Int
        private let bytes = Mutex(0)

        fileprivate init(of shares: RevealShares, _ holder: Shares.Holder) {
            self.shares = shares
            self.holder = holder
            most = holder.isMember ? RevealShares.capacity / 6 : RevealShares.capacity / 2
        }

        func grow(to count: Int) -> Bool {
            bytes.withLock { bytes in
                let more = counted(count) - bytes
                guard more > 0 else { return true }
                let now = SystemClock.monotonicMilliseconds
                guard case .granted = shares.room.claim(more, for: holder, at: now) else { return false }
                bytes += more
                return true
            }
        }

        /// The response is there, and counts for its own length: that of values was rounded up before they were opened, and they may be
        /// longer when they are written as JSON. Nothing is refused any more.
        func settle(at count: Int) {
            bytes.withLock { bytes in
                let (before, now) = (bytes, counted(count))
                if now > before { shares.room.add(now - before, for: holder) }
                if now < before { shares.room.release(holder, before - now) }
                bytes = now
            }
        }

        private func counted(_ count: Int) -> Int { count > RevealShares.smallResponse ? min(count, most) : 0 }

        deinit {
            let bytes = bytes.withLock { $0 }
            if bytes > 0 { shares.room.release(holder, bytes) }
        }
    }
}
