/// A way in which a server can lose what it has acknowledged.
public enum PostgresRisk: String, CaseIterable, Sendable {
    /// The server does not sync its log (`fsync = off`): a crash of the machine loses commits, or the whole database.
    case fsyncOff
    /// The server does not write whole pages to its log (`full_page_writes = off`): a crash may leave torn pages.
    case tornPages
    /// A commit returns before the log is synced here, or, where synchronous standbys are named, there
    /// (`synchronous_commit` is `off`, `local` or `remote_write`).
    case asynchronousCommit
}

extension PostgresConnection {
    /// The risks that the settings of server and session bring. An engine that lacks a setting is taken to sync.
    func risks() -> [PostgresRisk] {
        var risks: [PostgresRisk] = []
        if setting("fsync") == "off" { risks.append(.fsyncOff) }
        if setting("full_page_writes") == "off" { risks.append(.tornPages) }
        let hasStandbys = setting("synchronous_standby_names").map { !$0.isEmpty } ?? false
        switch setting("synchronous_commit") {
        case "off": risks.append(.asynchronousCommit)
        case "local", "remote_write": if hasStandbys { risks.append(.asynchronousCommit) }
        default: break
        }
        return risks
    }

    private func setting(_ name: String) -> String? {
        // In text, as the results of commands without parameters are.
        guard let rows = try? execute("SELECT current_setting('\(name)', true)"), rows.count == 1 else { return nil }
        return rows.isNull(0, 0) ? nil : rows.text(0, 0)
    }
}
