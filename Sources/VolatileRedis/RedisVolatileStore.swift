import CHiredis
import EventIO
import Synchronization
public import Vault

/// Volatile values in a server of Redis or Valkey, shared by any number of processes. No caller's thread ever waits for the server.
public final class RedisVolatileStore: SharedVolatileStore {
    private static let loading = Mutex(())
    /// Aliases that one command asks for.
    private static let aliasesPerCommand = 512
    /// Bytes that a reply has for the values of so many aliases: most values are far smaller, and are read with their aliases. Others are
    /// read by further commands.
    private static let bytesPerAlias = 1_024
    private static let bytesPerCommand = 32_768
    /// Bytes of the values that one further command reads, unless it is one.
    private static let bytesPerReading = 4 << 20
    /// The largest value that can be read. Another process may have added to it since its size was told.
    private static let longestValue = RedisReader.limit - (1 << 20)

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
        ofAliases names: [String], in vault: String, room: RevealRoom?
    ) async throws(VaultError) -> [SharedVolatileValue?] {
        var found = RedisFoundValues(room: room)
        for start in stride(from: 0, to: names.count, by: Self.aliasesPerCommand) {
            let some = names[start..<min(start + Self.aliasesPerCommand, names.count)]
            let size = max(Self.bytesPerCommand, some.count * Self.bytesPerAlias)
            let reply = try await send(
                RedisScript.read.command(
                    keys: some.map { Self.alias($0, vault) }, [Array("\(size)".utf8)], values: size))
            guard try found.add(reply, count: some.count) != nil else { throw Self.unexpected }
        }
        try await read(&found)
        return found.all { Self.name($0, vault) }
    }

    /// Reads what the server has only told the sizes of.
    private func read(_ found: inout RedisFoundValues) async throws(VaultError) {
        var rest = found.unread[...]
        while let first = rest.first {
            // What a server has is not known: sizes may be anything.
            guard first.size <= Self.longestValue else { throw .unavailable(RedisFailure.valueTooLarge.reason) }
            var (count, size) = (1, max(0, first.size))
            while count < min(rest.count, Self.aliasesPerCommand),
                case let next = rest[rest.startIndex + count].size, next <= Self.bytesPerReading - size
            {
                (count, size) = (count + 1, size + max(0, next))
            }
            let keys = rest.prefix(count).map(\.key)
            let command = RedisCommand((["MGET"] + keys).map { Array($0.utf8) }, replyKeys: count, values: size)
            guard let values = try await send(command).list, values.count == count else { throw Self.unexpected }
            for (key, value) in zip(keys, values) { found.note(value.bytes, at: key) }
            rest = rest.dropFirst(count)
        }
    }

    public func apply(
        _ changes: [SharedVolatileChange], in vault: String, capacity: Int
    ) async throws(VaultError) -> SharedVolatileOutcome {
        var keys = [Self.ends(vault), Self.further(vault)]
        var arguments = [Array("\(capacity)".utf8)]
        for change in changes {
            keys.append(Self.prefix(vault) + ":v:" + change.name)
            let (new, added) = (change.replacement, change.replacement?.added ?? [])
            keys += (added + change.removed).map { Self.alias($0, vault) }
            arguments += [change.expected ?? [], new?.sealed ?? []]
            let numbers =
                [new?.lifetime ?? 1] + [added.count, change.removed.count, new?.further ?? 0].map(Int64.init)
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
        var values = RedisFoundValues()
        for value in found {
            guard let parts = value.list, parts.count == 2, let key = parts[0].text, let size = parts[1].number else {
                throw Self.unexpected
            }
            values.add(unread: key, Int(clamping: size))
        }
        try await read(&values)
        return SharedVolatilePage(
            values: values.all { Self.name($0, vault) }.compactMap(\.self), next: next == "0" ? nil : next)
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

    /// The name of a value from its key. A key of another shape was not written by a vault: what is there is then damaged.
    private static func name(_ key: String, _ vault: String) -> String {
        String(key.dropFirst((prefix(vault) + ":v:").count))
    }
}
