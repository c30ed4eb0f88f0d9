extension Vault {
    /// Those of these aliases that may be written to a log: not one that keeps characters of a value that is to live in memory
    /// alone, for nothing of it may touch a disk (`vault-api.md` section 4).
    public func recordable(_ aliases: [String]) -> [String] {
        aliases.filter { alias in
            guard let record = volatile.record(alias: alias) else { return true }
            return !record.aliases.contains { $0.format.keepsCharacters && $0.alias.utf8.elementsEqual(alias.utf8) }
        }
    }
}
