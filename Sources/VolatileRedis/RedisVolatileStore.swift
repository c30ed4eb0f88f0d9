import CHiredis
import EventIO
import Synchronization
public import Vault

/// Volatile values in a server of Redis or Valkey, shared by any number of processes. No caller's thread ever waits for the server.
public final class RedisVolatileStore: SharedVolatileStore {
    private static let loading = Mutex(())
    /// Aliases that one command asks for.
    private static let aliasesPerCommand = 512

    private let client: RedisClient
    private let knownAliases = Atomic(0)
    private let knownPlaces = Atomic(0)

    /// Connects, and checks that the server's settings keep values in memory.
    public init(_ configuration: RedisConfiguration) async throws(RedisError) {
        if let reason = Self.loading.withLock({ _ in cloakroom_redis_load().map { String(cString: $0) } }) {
            throw RedisError(description: reason)
        }
        let loop: EventLoop
        do throws(IOError) {
            loop = try EventLoop(name: "vault redis")
            try loop.start()
        } catch { throw RedisError(description: "\(error)") }
        client = RedisClient(configuration, on: loop)
        do throws(RedisFailure) { _ = try await client.send(RedisCommand("PING")) } catch {
            client.close()
            throw RedisError(description: error.reason)
        }
    }

    deinit { client.close() }

    public var failure: VaultError? { client.failure.map { .unavailable($0.reason) } }

    public var count: Int { knownAliases.load(ordering: .relaxed) }

    public var places: Int { knownPlaces.load(ordering: .relaxed) }

    public func values(
        ofAliases names: [String], in vault: String
    ) async throws(VaultError) -> [SharedVolatileValue?] {
        var values: [SharedVolatileValue?] = []
        for start in stride(from: 0, to: names.count, by: Self.aliasesPerCommand) {
            let some = names[start..<min(start + Self.aliasesPerCommand, names.count)]
            let reply = try await send(RedisScript.read.command(keys: some.map { Self.alias($0, vault) }))
            guard let found = reply.list, found.count == some.count else { throw Self.unexpected }
            values += found.map { Self.value($0, vault) }
        }
        return values
    }

    public func apply(
        _ changes: [SharedVolatileChange], in vault: String, capacity: Int
    ) async throws(VaultError) -> SharedVolatileOutcome {
        var keys = [Self.ends(vault), Self.further(vault)]
        var arguments = [Array("\(capacity)".utf8)]
        for change in changes {
            keys.append(Self.prefix(vault) + ":v:" + change.name)
            keys += (change.added + change.removed).map { Self.alias($0, vault) }
            arguments += [change.expected ?? [], change.replacement ?? []]
            let numbers =
                [change.lifetime] + [change.added.count, change.removed.count, change.further].map(Int64.init)
            arguments += numbers.map { Array("\($0)".utf8) }
        }
        let reply = try await send(RedisScript.change.command(keys: keys, arguments), changes: true)
        guard let outcome = reply.list?.first?.number else { throw Self.unexpected }
        guard outcome != 0 else { return .overtaken }
        try note(reply.list?.dropFirst() ?? [])
        guard outcome == 1 else { throw .volatileStorageFull }
        client.noteStored()
        return .applied
    }

    public func values(from cursor: String?, in vault: String) async throws(VaultError) -> SharedVolatilePage {
        let reply = try await send(
            RedisScript.page.command(keys: [Self.ends(vault)], [Array((cursor ?? "0").utf8)]))
        guard let parts = reply.list, parts.count == 2, let next = parts[0].text, let found = parts[1].list else {
            throw Self.unexpected
        }
        return SharedVolatilePage(
            values: found.compactMap { Self.value($0, vault) }, next: next == "0" ? nil : next)
    }

    public func check(_ vault: String) async throws(VaultError) {
        client.checkSettingsNext()
        let keys = [Self.ends(vault), Self.further(vault), Self.prefix(vault) + ":probe"]
        try note(try await probed(keys).list?[...] ?? [])
        client.noteStored()
    }

    public func close() { client.close() }

    /// Notes how many aliases there are and what places they and their values take, as the server says. Clamped to 0 ... 2^40, so that later
    /// sums cannot overflow.
    private func note(_ counts: ArraySlice<RedisReply>) throws(VaultError) {
        let counts = counts.compactMap(\.number).map { Int(min(max($0, 0), 1 << 40)) }
        guard counts.count == 2 else { throw Self.unexpected }
        knownAliases.store(counts[0], ordering: .relaxed)
        knownPlaces.store(counts[0] + counts[1], ordering: .relaxed)
    }

    // MARK: Commands

    private func send(_ command: RedisCommand, changes: Bool = false) async throws(VaultError) -> RedisReply {
        do throws(RedisFailure) { return try await client.send(command, writes: changes) } catch {
            if changes, error.isUncertain { throw .outcomeUnknown(error.reason) }
            throw .unavailable(error.reason)
        }
    }

    /// A probe that got no reply has changed nothing that lasts.
    private func probed(_ keys: [String]) async throws(VaultError) -> RedisReply {
        do { return try await send(RedisScript.probe.command(keys: keys), changes: true) } catch .outcomeUnknown(
            let reason)
        {
            throw .unavailable(reason)
        }
    }

    private static let unexpected = VaultError.unavailable(RedisFailure.protocolViolation.reason)

    private static func prefix(_ vault: String) -> String { "cloakroom:{\(vault)}" }
    private static func ends(_ vault: String) -> String { prefix(vault) + ":ends" }
    private static func further(_ vault: String) -> String { prefix(vault) + ":further" }
    private static func alias(_ name: String, _ vault: String) -> String { prefix(vault) + ":a:" + name }

    /// From the key of a value and the value; nil for an alias that is unknown.
    private static func value(_ reply: RedisReply, _ vault: String) -> SharedVolatileValue? {
        guard let parts = reply.list, parts.count == 2, let key = parts[0].text, let sealed = parts[1].bytes else {
            return nil
        }
        // A key of another shape was not written by a vault: what is there is then damaged.
        return SharedVolatileValue(name: String(key.dropFirst((prefix(vault) + ":v:").count)), sealed: sealed)
    }
}
