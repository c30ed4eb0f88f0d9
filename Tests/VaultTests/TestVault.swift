import Sensitive
import Synchronization
import VaultTesting

@testable import Vault

/// A clock that stands still until it is turned.
final class TestClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_000_000_000_000)

    func advance(milliseconds: Int64) {
        self.milliseconds.withLock { $0 += milliseconds }
    }

    var clock: VaultClock {
        VaultClock(
            unixSeconds: { self.milliseconds.withLock { $0 } / 1_000 },
            elapsedMilliseconds: { self.milliseconds.withLock { $0 } })
    }
}

/// A master key that differs for each number.
func masterKey(_ number: UInt8 = 1) throws -> MasterKey {
    try MasterKey(bytes: (0..<32).map { $0 &+ number })
}

/// A vault over an empty store in memory.
func memoryVault(
    _ store: MemoryAliasStore = MemoryAliasStore(), clock: TestClock = TestClock(),
    _ change: (inout VaultConfiguration) -> Void = { _ in }
) async throws -> Vault {
    var configuration = VaultConfiguration()
    configuration.clock = clock.clock
    change(&configuration)
    return try await Vault.open(configuration, masterKey: masterKey(), store: store)
}

extension VaultItem {
    static func new(
        _ value: String, _ format: AliasFormat = .uuid, _ classifiers: [String] = [], _ storage: Storage = .persistent
    ) -> VaultItem {
        .value(SensitiveText(value), format: format, classifiers: classifiers, storage: storage)
    }

    static func cvc(_ value: String, _ format: AliasFormat = .uuid) -> VaultItem { new(value, format, [], .volatile) }
}

extension Vault {
    /// The one alias of the one item.
    func alias(_ item: VaultItem) async throws -> String {
        try await create([item])[0].aliases[0].alias
    }

    /// The value behind the alias; `nil` if it is unknown.
    func value(_ alias: String) async -> String? {
        try? await reveal([alias]).first?.stored.value.exposed
    }
}
