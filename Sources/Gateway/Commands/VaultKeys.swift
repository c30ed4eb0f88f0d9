public import Configuration
import EventIO
import JSON
import Vault
import VaultSQLite

/// `cloakroom keys`: the keys of a vault that this process opens, or that another process serves.
public enum VaultKeys: Sendable {
    case opened(OpenVault)
    case serving(ServingVault)

    /// Finds the process that serves the vault, or opens it.
    public init(_ configuration: Configuration) async throws(StartError) {
        if let serving = try await Self.serving(configuration) {
            self = .serving(serving)
        } else {
            let sink: LogSink
            do { sink = try LogSink() } catch { throw StartError("\(error)") }
            let telemetry = Telemetry(configuration.log, sink: sink)
            self = .opened(try await OpenVault(configuration, logger: telemetry.logger))
            sink.finish()
        }
    }

    /// The process that serves the vault; for a shared database, the one of this configuration, which owns the audit log. Nil if there
    /// is none. Throws if there is no vault, because opening a mistyped path would create one.
    static func serving(_ configuration: Configuration) async throws(StartError) -> ServingVault? {
        let vault = configuration.vault
        if vault.postgres != nil {
            let serving = try ServingVault(vault, at: "\(configuration.admin)")
            return await serving.isReachable ? serving : nil
        }
        if let address = SQLiteVaultFile(path: vault.sqlitePath).address { return try ServingVault(vault, at: address) }
        guard SQLiteAliasStore.exists(at: vault.sqlitePath) else {
            throw StartError("there is no vault at \(vault.sqlitePath)")
        }
        return nil
    }

    /// One line for each key: `key <number> <active|retired> created <time> uses <reserved uses>`.
    public func lines() async throws(StartError) -> [String] {
        switch self {
        case .opened(let vault): try await withStartError { () throws(VaultError) in try await vault.keyLines() }
        case .serving(let vault): try await vault.lines(KeyCalls.status)
        }
    }

    /// Creates a new data key for new values.
    public func rotate() async throws(StartError) {
        switch self {
        case .opened(let vault): try await withStartError { () throws(VaultError) in try await vault.rotateKey() }
        case .serving(let vault): _ = try await vault.call(KeyCalls.rotation)
        }
    }

    /// Seals all values of older keys again under the active one.
    public func rewrap() async throws(StartError) {
        var cursor: Int64? = 0
        while let position = cursor {
            switch self {
            case .opened(let vault):
                cursor = try await withStartError { () throws(VaultError) in try await vault.rewrap(after: position) }
            case .serving(let vault):
                let reply = try await vault.call(KeyCalls.rewrapping) { json in
                    json.key("after")
                    json.number(Int(position))
                }
                cursor = reply["after"].flatMap(KeyCalls.number)
            }
        }
    }

    /// Wraps the keys under the master key in another file. From the next start the configuration must name that file.
    public func changeMasterKey(file: String) async throws(StartError) {
        switch self {
        case .opened(let vault):
            try await withStartError { () throws(VaultError) in try await vault.changeMasterKey(file: file) }
        case .serving(let vault):
            guard file.hasPrefix("/") else { throw StartError("give the whole path of the new key's file") }
            _ = try await vault.call(KeyCalls.masterKey) { json in
                json.key("file")
                json.string(file)
            }
        }
    }

    /// Closes the vault if this process has opened it.
    public func close() async {
        if case .opened(let vault) = self { await vault.close() }
    }

    private func withStartError<Result>(
        _ work: () async throws(VaultError) -> Result
    ) async throws(StartError) -> Result {
        do { return try await work() } catch { throw StartError("vault: \(error)") }
    }
}
