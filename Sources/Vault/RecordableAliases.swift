// Which aliases may be written to a log: not those that keep characters of a value that is to live in memory alone, for nothing
// of it may touch a disk (`vault-api.md` section 4).

extension Alias {
    /// Whether it may be written to a log.
    /// - Parameter storage: its value's.
    public func isRecordable(of storage: Storage) -> Bool { storage == .persistent || !format.keepsCharacters }
}

extension StoredValue {
    /// Those of its aliases that may be written to a log.
    public var recordableAliases: [String] { aliases.filter { $0.isRecordable(of: storage) }.map(\.alias) }
}

extension RevealedAlias {
    /// Whether the alias may be written to a log.
    public var isRecordable: Bool {
        !stored.aliases.contains { !$0.isRecordable(of: stored.storage) && $0.alias.utf8.elementsEqual(alias.utf8) }
    }
}

extension VaultItem {
    /// Whether the alias that is made for it may be written to a log.
    public var makesRecordableAlias: Bool {
        switch self {
        case .value(_, let format, _, let storage): storage == .persistent || !format.keepsCharacters
        case .reference(_, let format, let storage): storage == .persistent || !format.keepsCharacters
        }
    }
}

extension Vault {
    /// Those of these aliases that may be written to a log, as things are now: to be asked before anything is done with them.
    public func recordable(_ aliases: [String]) -> [String] {
        aliases.filter { alias in
            guard let record = volatile.record(alias: alias) else { return true }
            return !record.aliases.contains { $0.format.keepsCharacters && $0.alias.utf8.elementsEqual(alias.utf8) }
        }
    }
}
