public import Configuration
import EventIO
import JSON
import Vault
import VaultSQLite

/// What `cloakroom keys`, `compact` and `backup` do to a vault that this process opens, or that another process serves.
public struct VaultMaintenance: Sendable {
    private enum Place {
        case opened(OpenVault)
        case serving(ServingVault)
    }

    private let place: Place

    /// Finds the process that serves the vault, or opens it.
    private init(_ configuration: Configuration) async throws(StartError) {
        if let serving = try await Self.serving(configuration) {
            place = .serving(serving)
        } else {
            // Opening one of an older format would upgrade it, for good: that is for `serve`, after a backup.
            if configuration.vault.postgres == nil { _ = try configuration.vault.key(for: .operations) }
            let sink: LogSink
            do { sink = try LogSink() } catch { throw StartError("\(error)") }
            defer { sink.finish() }
            let telemetry = Telemetry(configuration.log, sink: sink)
            place = .opened(try await OpenVault(configuration, isServed: false, logger: telemetry.logger))
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

    /// One line a key: see ``OpenVault/keyLines()``. Throws ``StartError`` if the vault, the audit log or the serving process cannot do it.
    public func lines() async throws(StartError) -> [String] {
        switch place {
        case .opened(let opened): try await withStartError { () throws(VaultError) in try await opened.keyLines() }
        case .serving(let serving): try await serving.lines(MaintenanceCalls.Operation.status.rawValue)
        }
    }

    /// Creates a new data key for new values. Throws ``StartError`` if the vault, the audit log or the serving process cannot do it.
    ///
    /// - Parameter fingerprints: a new fingerprint key too; until `rewrap` has ended, values are found by both.
    public func rotate(fingerprints: Bool) async throws(StartError) {
        switch place {
        case .opened(let opened):
            try await withStartError { () throws(VaultError) in
                try await opened.rotateKey(fingerprints: fingerprints, by: Operator.name)
            }
        case .serving(let serving):
            _ = try await serving.call(MaintenanceCalls.Operation.rotation.rawValue) { json in
                json.key("fingerprints")
                json.bool(fingerprints)
            }
        }
    }

    /// Seals everything of older keys again under the active one, values and stored responses. Returns what is left under older keys, one
    /// line each. Calls `report` after every step with the id of the value that was reached and that of the last one. Throws ``StartError``
    /// if the vault, the audit log or the serving process cannot do it.
    public func rewrap(
        _ report: (_ reached: Int, _ last: Int) -> Void = { _, _ in }
    ) async throws(StartError) -> [String] {
        var cursor: Int64 = 0
        while true {
            switch try await rewrapStep(after: cursor) {
            case .reached(let next, let last):
                cursor = next
                report(Int(cursor), Int(last))
            case .done(let remains): return remains
            }
        }
    }

    private enum RewrapStep {
        /// The id of the value that was reached.
        case reached(Int64, last: Int64)
        /// What is left under older keys, one line each.
        case done([String])
    }

    private func rewrapStep(after cursor: Int64) async throws(StartError) -> RewrapStep {
        switch place {
        case .opened(let opened):
            return try await withStartError { () async throws(VaultError) -> RewrapStep in
                guard let next = try await opened.rewrap(after: cursor, by: Operator.name) else {
                    return .done(try await opened.vault.rewrapRemainder().lines)
                }
                return .reached(next, last: try await opened.vault.lastValueID())
            }
        case .serving(let serving): return try await rewrapStep(after: cursor, serving)
        }
    }

    private func rewrapStep(after cursor: Int64, _ serving: ServingVault) async throws(StartError) -> RewrapStep {
        let reply = try await serving.call(MaintenanceCalls.Operation.rewrapping.rawValue) { json in
            json.key("after")
            json.number(Int(cursor))
        }
        // The cursor must advance, or the steps would not end.
        let next = try Self.number("after", of: reply, in: min(cursor, .max - 1) + 1 ... .max)
        let last = try Self.number("last", of: reply, in: 0 ... .max) ?? 0
        guard let next else { return .done(reply["remains"]?.array?.compactMap(\.string) ?? []) }
        return .reached(next, last: last)
    }

    /// Gives the free space of the vault's file back to the file system, a few MiB at a time. Throws ``StartError`` if the vault, the audit
    /// log or the serving process cannot do it.
    ///
    /// - Parameter report: called after every step with the bytes that were returned so far, and those that are left.
    public func compact(_ report: (_ returned: Int, _ left: Int) -> Void) async throws(StartError) {
        let page = 4_096
        var returned = 0
        while true {
            let step: (returned: Int, left: Int)
            switch place {
            case .opened(let opened):
                let before = returned
                step = try await withStartError { () throws(VaultError) in
                    try await opened.compact(after: before, by: Operator.name)
                }
            case .serving(let serving):
                let reply = try await serving.call(MaintenanceCalls.Operation.compaction.rawValue) { json in
                    json.key("after")
                    json.number(returned)
                }
                step = (
                    Int(try Self.number("returned", of: reply, in: Self.pages) ?? 0),
                    Int(try Self.number("left", of: reply, in: Self.pages) ?? 0)
                )
            }
            returned = min(returned + step.returned, Int(Self.pages.upperBound))
            report(returned * page, step.left * page)
            if step.left == 0 || step.returned == 0 { return }
        }
    }

    /// Records in the audit log that the vault was copied, or that this failed.
    func recordBackup(isDone: Bool) async throws(StartError) {
        switch place {
        case .opened(let opened):
            try await withStartError { () throws(VaultError) in
                try await opened.recordBackup(isDone: isDone, by: Operator.name)
            }
        case .serving(let serving):
            _ = try await serving.call(MaintenanceCalls.Operation.backup.rawValue) { json in
                json.key("done")
                json.bool(isDone)
            }
        }
    }

    /// Wraps the keys under the master key in another file. From the next start the configuration must name that file. Throws
    /// ``StartError`` if the vault, the audit log or the serving process cannot do it.
    ///
    /// - Returns: whether a change is under way from now on: false if they are under that key already; one that was begun is given up.
    public func changeMasterKey(file: String) async throws(StartError) -> Bool {
        switch place {
        case .opened(let opened):
            return try await withStartError { () throws(VaultError) in
                try await opened.changeMasterKey(file: file, by: Operator.name)
            }
        case .serving(let serving):
            guard file.hasPrefix("/") else { throw StartError("give the whole path of the new key's file") }
            let reply = try await serving.call(MaintenanceCalls.Operation.masterKey.rawValue) { json in
                json.key("file")
                json.string(file)
            }
            guard case .bool(let isBeingChanged)? = reply["isBeingChanged"] else { return true }
            return isBeingChanged
        }
    }

    /// Does work on the vault of a configuration, and closes it afterwards if this process has opened it.
    public static func use(
        _ configuration: Configuration, _ work: (VaultMaintenance) async throws -> Void
    ) async throws {
        let maintenance = try await VaultMaintenance(configuration)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await work(maintenance)) } catch { outcome = .failure(error) }
        if case .opened(let opened) = maintenance.place { await opened.close() }
        try outcome.get()
    }

    /// Pages of a file, as far as they are counted.
    private static let pages: ClosedRange<Int64> = 0...(1 << 40)

    /// A number in the response of the process that serves the vault; nil if it is not there. Another program may listen in its place.
    private static func number(
        _ name: String, of reply: JSONObject, in range: ClosedRange<Int64>
    ) throws(StartError) -> Int64? {
        guard let member = reply[name] else { return nil }
        if case .null = member { return nil }
        guard let number = MaintenanceCalls.number(member), range.contains(number) else {
            throw StartError("the process that serves the vault returned something else than expected")
        }
        return number
    }

    private func withStartError<Result>(
        _ work: () async throws(VaultError) -> Result
    ) async throws(StartError) -> Result {
        do { return try await work() } catch { throw StartError("vault: \(error)") }
    }
}
