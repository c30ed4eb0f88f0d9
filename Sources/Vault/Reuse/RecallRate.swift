import Synchronization

/// The share of look-ups in a shared store that find all values of a request, and so whether looking first pays: a hit saves a commit,
/// a miss costs an exchange with the database.
///
/// While few are found only one request in 64 looks; that is enough to notice when it pays again.
final class RecallRate: Sendable {
    /// All looks find what they look for. So it is assumed at first.
    private static let always = 1_024
    /// The part of a look's outcome in the rate.
    private static let weight = 32

    private let rate = Atomic(always)
    private let skipped = Atomic(0)

    /// Whether the next request is to look first.
    func pays() -> Bool {
        if rate.load(ordering: .relaxed) >= Self.always / 4 { return true }
        return skipped.wrappingAdd(1, ordering: .relaxed).newValue & 63 == 0
    }

    /// Notes what became of a look. Of two at once one may be lost, which changes the rate by little.
    func note(found: Bool) {
        let old = rate.load(ordering: .relaxed)
        rate.store(old + ((found ? Self.always : 0) - old) / Self.weight, ordering: .relaxed)
    }
}
