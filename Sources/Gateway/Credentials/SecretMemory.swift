import Access
import Crypto
import Synchronization

/// What the process remembers of the secrets that were presented to it, which a reload leaves as it is: the wrong ones, those that have
/// fitted a salted hash, and how many there were.
final class SecretMemory: Sendable {
    /// The key of their digests.
    let key = SystemRandomNumberGenerator.bytes(32)
    let failed = FailedSecrets()
    let wrong = Counter()
    let waits = Counter()
    let busy = Counter()
    private let latest = Mutex<CredentialTable?>(nil)

    /// The table that is in use.
    var table: CredentialTable? {
        get { latest.withLock { $0 } }
        set { latest.withLock { $0 = newValue } }
    }
}
