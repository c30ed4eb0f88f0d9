import Synchronization

/// The process's random block, shared by all threads under a lock that is held for one alias or nonce at a time.
final class RandomPool: Sendable {
    private let block = Mutex(RandomBlock())

    init() {}

    /// Runs `draw` with the block.
    func draw<Result>(
        _ draw: (inout RandomBlock) throws(VaultError) -> sending Result
    ) throws(VaultError) -> Result {
        try block.withLock { (block) throws(VaultError) in try draw(&block) }
    }

    /// Fresh bytes.
    func bytes(_ count: Int) throws(VaultError) -> [UInt8] {
        try draw { (block) throws(VaultError) in try block.bytes(count) }
    }
}
