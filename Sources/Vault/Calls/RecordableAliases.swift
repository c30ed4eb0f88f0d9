// Which aliases may be written to a log: not those that keep characters of a value that is to live in memory alone, for nothing
// of it may touch a disk (`docs/reference/vault-api.md` section 4).
//
// Calls for several are not inlined: raw values must not become locals of the asynchronous caller, whose frame is not wiped when it ends.

import Sensitive

extension Alias {
    /// Whether it may be written to a log. A plain token shows nothing, whatever its format: the value did not fit that
    /// (`vault.aliasFallback`).
    ///
    /// - Parameter storage: its value's.
    public func isRecordable(of storage: Storage) -> Bool {
        storage == .persistent || !format.keepsCharacters || alias.isPlainToken
    }
}

extension [Alias] {
    /// Whether the alias may be written to a log, these being all aliases of its value.
    func isRecordable(_ alias: String, of storage: Storage) -> Bool {
        !contains { !$0.isRecordable(of: storage) && $0.isSame(as: alias) }
    }
}

extension [StoredValue] {
    /// Those of the aliases that were asked for that may be written to a log, and how many there are of all.
    @inline(never)
    public func recordableAliases() -> (aliases: [String], count: Int) {
        let recordable = compactMap { value in
            value.requested.flatMap { $0.isRecordable(of: value.storage) ? $0.alias : nil }
        }
        return (recordable, count { $0.requested != nil })
    }

    /// The alias that each item asked for; nil for an empty value.
    @inline(never)
    public func requestedAliases() -> [String?] { map { $0.requested?.alias } }
}

extension [RevealedAlias] {
    /// Those that may be written to a log.
    @inline(never)
    public func recordableAliases() -> [String] {
        filter { $0.stored.aliases.isRecordable($0.alias, of: $0.stored.storage) }.map(\.alias)
    }
}

extension [VaultItem] {
    /// Of the aliases that were made for them, in their order, those that may be written to a log; nil in the place of others.
    ///
    /// - Parameter areForeign: whether another vault has made them, whatever their format promises.
    @inline(never)
    public func recordable(_ aliases: [String], areForeign: Bool = false) -> [String?] {
        zip(self, aliases).map { item, alias in
            // Another vault may have put the value of any item into it.
            let holdsValue = areForeign && contains { $0.isVolatileValue(in: alias) }
            return item.makesRecordableAlias(isForeign: areForeign) && !holdsValue ? alias : nil
        }
    }

    /// Whether all aliases that are made for them may be written to a log.
    @inline(never)
    public func makeRecordableAliases() -> Bool { allSatisfy { $0.makesRecordableAlias() } }
}

extension VaultItem {
    /// Whether it is a value that is to live in memory alone, and the alias holds it, however either is grouped.
    fileprivate func isVolatileValue(in alias: String) -> Bool {
        guard case .value(let value, _, _, .volatile, _) = self, case let bare = value.exposed.ungrouped,
            !bare.isEmpty
        else { return false }
        return alias.ungrouped.firstRange(of: bare) != nil
    }

    /// - Parameter isForeign: whether another vault makes it, which decides for itself what fits a format.
    fileprivate func makesRecordableAlias(isForeign: Bool = false) -> Bool {
        switch self {
        case .value(let value, let format, _, let storage, _):
            storage == .persistent || !format.keepsCharacters || !isForeign && !format.accepts(value.exposed)
        case .reference(_, let format, let storage): storage == .persistent || !format.keepsCharacters
        }
    }
}

extension Vault {
    /// Those of these aliases that may be written to a log, as things are now: to be asked before anything is done with them.
    public func recordable(_ aliases: [String]) async throws(VaultError) -> [String] {
        if let shared = sharedVolatiles { return try await recordable(aliases, in: shared) }
        return aliases.filter { alias in
            volatile.record(alias: alias)?.aliases.isRecordable(alias, of: .volatile) ?? true
        }
    }

    /// Only tokens that end in characters of a value and long aliases can be aliases of volatile values that keep some: the others
    /// are not asked for. What a damaged one would keep is not known.
    private func recordable(_ aliases: [String], in shared: SharedVolatiles) async throws(VaultError) -> [String] {
        let (found, damaged) = try await shared.sorted(aliases.filter { !$0.isPlainToken })
        if found.isEmpty, damaged.isEmpty { return aliases }
        return aliases.filter { alias in
            if damaged[ExactText(alias)] != nil { return false }
            return found[ExactText(alias)]?.record.aliases.isRecordable(alias, of: .volatile) ?? true
        }
    }
}

extension String {
    /// Without spaces and hyphens, by which digits may be grouped.
    package var ungrouped: [UInt8] { utf8.filter { $0 != 0x20 && $0 != 0x2D } }

    /// Whether it has the shape of a UUID alias, or of a RAW_UUID one.
    var isPlainToken: Bool {
        if hasPrefix("tok_") { return utf8.count { $0 == UInt8(ascii: "_") } == 2 }
        return utf8.count == 36 && utf8.count { $0 == UInt8(ascii: "-") } == 4
    }
}
