import Synchronization

/// The process's random block, shared by all threads under a lock that is held for one alias or nonce at a time.
public final class RandomPool: Sendable {
    private let block: Mutex<RandomBlock>

    /// A block of its own; nothing is drawn yet.
    public init() {
        block = Mutex(RandomBlock())
    }

    /// A pool that draws from another source, for tests.
    package init(source: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Bool) {
        block = Mutex(RandomBlock(source: source))
    }

    /// Runs `draw` with the block.
    package func draw<Result>(
        _ draw: (inout RandomBlock) throws(CryptoError) -> sending Result
    ) throws(CryptoError) -> Result {
        try block.withLock { (block) throws(CryptoError) in try draw(&block) }
    }

    /// Fresh bytes.
    public func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        try draw { (block) throws(CryptoError) in try block.bytes(count) }
    }
}

extension SystemRandomNumberGenerator {
    /// Bytes of the kernel's generator: for keys, salts and secrets, of which few are drawn.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Eight of them.
    public static var word: UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
