import Sensitive
import Synchronization

/// The aliases of values that were recently reused, so that a request for them needs no store.
///
/// Filled only after a commit. A request that changes what is known of a value says so inside its transaction
/// (`invalidate`), which raises the epoch, and again after the commit, which removes the entry. What an earlier request
/// had read carries the old epoch and is not let in any more, however late it comes: the order of transactions decides,
/// not the order in which their callers wake up.
///
/// Bounded by two generations: when the young one is full it becomes the old one, and the old one is dropped. A value with more than a KiB
/// of classifiers is not remembered, so that the memory is bounded too.
final class ReuseCache: Sendable {
    /// What is known of a value.
    struct Entry: Sendable {
        var createdAt: Int64
        /// Unix seconds; nil for no end.
        var expiresAt: Int64?
        var classifiers: [String]
        /// The oldest alias of the value, alone, ready to be answered. Most values have no other.
        private let first: [Alias]
        /// Of each other format one alias, in an array of its own.
        private var others: [[Alias]] = []

        /// - Parameter allAliases: those of the value, oldest first.
        init(createdAt: Int64, expiresAt: Int64?, classifiers: [String], allAliases: [Alias]) {
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.classifiers = classifiers
            // The array itself where it will do: what is remembered costs no memory more.
            first = allAliases.count > 1 ? Array(allAliases.prefix(1)) : allAliases
            for alias in allAliases.dropFirst() where aliases(alias.format) == nil { others.append([alias]) }
        }

        /// Whether it takes so much memory that it is not remembered. A text takes 16 bytes beside its own.
        var isLarge: Bool { classifiers.reduce(0) { $0 + 16 + $1.utf8.count } > 1_024 }

        func aliases(_ format: AliasFormat) -> [Alias]? {
            first.first?.format == format ? first : others.first { $0.first?.format == format }
        }

        /// What is returned for an item, if all that it asks for is known, and nothing of the value is changed by it.
        ///
        /// - Parameters:
        ///   - end: until when the item wants the value to live.
        ///   - now: Unix seconds.
        func stored(
            _ text: SensitiveText, _ format: AliasFormat, _ classifiers: [String], until end: Int64?, now: Int64
        ) -> StoredValue? {
            guard let aliases = aliases(format), self.classifiers.holdsBytes(ofAll: classifiers) else { return nil }
            if let expiresAt {
                guard expiresAt > now, let end, end <= expiresAt else { return nil }
            }
            return StoredValue(
                value: text, classifiers: self.classifiers, aliases: aliases, createdAt: createdAt,
                expiresAt: expiresAt, storage: .persistent, requestedPlace: 0)
        }
    }

    private struct Generations {
        var epoch = 0
        var young: [Fingerprint: Entry] = [:]
        var old: [Fingerprint: Entry] = [:]
    }

    private final class Shard: Sendable {
        let generations = Mutex(Generations())
    }

    private let shards: [Shard]
    private let limit: Int

    /// A cache of at most `capacity` values.
    init(capacity: Int) {
        shards = (0..<8).map { _ in Shard() }
        limit = max(1, capacity / 16)
    }

    /// What is known of a value.
    func entry(_ fingerprint: Fingerprint) -> Entry? {
        generations(fingerprint) { generations in
            if let entry = generations.young[fingerprint] { return entry }
            guard let entry = generations.old[fingerprint] else { return nil }
            insert(entry, fingerprint, &generations)
            return entry
        }
    }

    /// The epoch to be given to `fill` with what is read from now on.
    func epoch(_ fingerprint: Fingerprint) -> Int {
        generations(fingerprint) { $0.epoch }
    }

    /// Remembers, instead of what was known before, what was read or made in a transaction that began in `epoch`.
    func fill(_ fingerprint: Fingerprint, _ entry: Entry, epoch: Int) {
        generations(fingerprint) { generations in
            forget(fingerprint, &generations)
            if generations.epoch == epoch, !entry.isLarge { insert(entry, fingerprint, &generations) }
        }
    }

    /// Refuses whatever was read before.
    func invalidate(_ fingerprint: Fingerprint) {
        generations(fingerprint) { $0.epoch += 1 }
    }

    /// Forgets a value.
    func remove(_ fingerprint: Fingerprint) {
        generations(fingerprint) { forget(fingerprint, &$0) }
    }

    /// Forgets everything, and refuses whatever was read before.
    func removeAll() {
        for shard in shards {
            shard.generations.withLock { generations in
                generations.epoch += 1
                generations.young = [:]
                generations.old = [:]
            }
        }
    }

    private func forget(_ fingerprint: Fingerprint, _ generations: inout Generations) {
        generations.young[fingerprint] = nil
        generations.old[fingerprint] = nil
    }

    private func insert(_ entry: Entry, _ fingerprint: Fingerprint, _ generations: inout Generations) {
        if generations.young.count >= limit {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[fingerprint] = entry
    }

    private func generations<Result>(
        _ fingerprint: Fingerprint, _ access: (inout Generations) -> sending Result
    ) -> sending Result {
        shards[fingerprint.shard % shards.count].generations.withLock { access(&$0) }
    }
}
