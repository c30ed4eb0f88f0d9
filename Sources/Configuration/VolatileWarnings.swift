import FormSchema

extension Configuration {
    /// Says what stores VOLATILE values that only the process which took them will know, although other processes may share its vault: a
    /// reveal that reaches another one finds nothing.
    ///
    /// - Parameter file: where the vault's section stands.
    func warningsOfVolatiles(in file: String?) -> [Mistake] {
        guard vault.postgres != nil, vault.redis == nil else { return [] }
        let storing =
            formFiles.filter(\.form.makesVolatileAliases).map { "form \($0.form.form)" }
            + routes.filter(\.storesVolatiles).map { "route \($0.name)" }
        guard !storing.isEmpty else { return [] }
        return [
            Mistake(
                file: file, line: nil, path: "vault.volatile.redis",
                message: """
                    VOLATILE values (\(storing.joined(separator: ", "))) are known to the process that took them alone: give Redis, or have \
                    the balancer keep a client's calls, and the reveals that belong to them, on one process
                    """)
        ]
    }
}

extension Route {
    /// Whether values that it replaces in responses are kept in memory only.
    fileprivate var storesVolatiles: Bool {
        guard case .reveal(_, let rules) = target else { return false }
        return rules.redact.contains { $0.storage == .volatile }
    }
}
