/// The settings of a server that decide whether what it keeps may reach a disk, or go before its end (Redis, redis.conf).
struct RedisServerSettings {
    static let names = [
        "save", "appendonly", "maxmemory", "maxmemory-policy", "repl-diskless-sync", "shutdown-on-sigterm",
        "shutdown-on-sigint",
    ]

    private var values: [String: String] = [:]

    subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// What must be changed; empty if the server may be used. A setting that must be there and is not is a fault.
    var faults: [String] {
        var faults: [String] = []
        if self["save"] != "" { faults.append("it writes snapshots to a disk: set save \"\"") }
        if self["appendonly"] != "no" { faults.append("it writes a log to a disk: set appendonly no") }
        // A replica that connects gets a snapshot, by way of a file.
        if self["repl-diskless-sync"] != "yes" {
            faults.append("it writes snapshots for its replicas to a disk: set repl-diskless-sync yes")
        }
        for name in ["shutdown-on-sigterm", "shutdown-on-sigint"] {
            let words = self[name]?.split(separator: " ") ?? []
            if words.contains("save") { faults.append("it writes a snapshot when it stops: set \(name) nosave") }
        }
        if self["maxmemory"] != "0", self["maxmemory-policy"] != "noeviction" {
            faults.append("it drops values when its memory is full: set maxmemory-policy noeviction")
        }
        return faults
    }
}
