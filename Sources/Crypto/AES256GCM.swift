import Synchronization

/// Opens what was sealed with AES-256-GCM (NIST SP 800-38D) under one key, with 96-bit nonces and 128-bit tags: values of a vault of
/// format 2. ``XAES256GCM`` seals today's.
public final class AES256GCM: Sendable {
    private static let overhead = CipherContext.nonceSize + CipherContext.tagSize

    private let context: Mutex<CipherContext>

    /// Copies the 32 bytes of the key; the caller may wipe its own afterwards.
    public init(key: [UInt8]) throws(CryptoError) {
        guard key.count == 32 else { throw .unsuitableLength("AES-256 key") }
        let context = try CipherContext(key: key, encrypts: false)
        self.context = Mutex(context)
    }

    /// The text in `nonce ‖ ciphertext ‖ tag`, written straight into its own storage; `nil` if the bytes, the associated data or the
    /// key are not those that it was sealed with.
    public func open(_ sealed: [UInt8], authenticating data: [UInt8]) -> String? {
        Sealed.text(sealed.count - Self.overhead) { open(sealed, data, into: $0) }
    }

    /// The same for bytes.
    public func openBytes(_ sealed: [UInt8], authenticating data: [UInt8]) -> [UInt8]? {
        Sealed.plainBytes(sealed.count - Self.overhead) { open(sealed, data, into: $0) }
    }

    private func open(_ sealed: [UInt8], _ data: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        context.withLock { context in
            sealed.withUnsafeBufferPointer { context.open($0, authenticating: data, into: output) }
        }
    }
}
