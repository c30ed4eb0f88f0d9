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
        var clock = VaultClock(
            unixSeconds: { self.milliseconds.withLock { $0 } / 1_000 },
            elapsedMilliseconds: { self.milliseconds.withLock { $0 } })
        clock.unixMilliseconds = clock.elapsedMilliseconds
        return clock
    }
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
    static func cvc(_ value: String, _ format: AliasFormat = .uuid) -> VaultItem { new(value, format, [], .volatile) }
}
