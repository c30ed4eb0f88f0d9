import CKeyMemory

/// The bytes of a key that is kept, in memory for keys (``KeyMemory``); wiped at the end.
///
/// `@unchecked Sendable`: the bytes are written once, before anybody else has them.
public final class KeyBytes: @unchecked Sendable {
    private let start: UnsafeMutablePointer<UInt8>
    /// How many there are.
    public let count: Int

    /// Copies them; the caller may wipe its own afterwards. Throws if there is no memory left for keys.
    public init(_ bytes: [UInt8]) throws(CryptoError) {
        guard let memory = cloakroom_key_memory_allocate(max(bytes.count, 1)) else { throw .failed("memory for a key") }
        start = memory.assumingMemoryBound(to: UInt8.self)
        start.initialize(from: bytes, count: bytes.count)
        count = bytes.count
    }

    deinit {
        cloakroom_key_memory_free(start)
    }

    /// A copy, to make a key of it and to wipe.
    public func copied() -> [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

    /// Only for the duration of `body`.
    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result { body(start) }
}

extension KeyBytes: RedactedPrinting {}
