import COpenSSL
import Synchronization

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1) under one key, with a context that is kept and started again for each message:
/// 0.3 µs for a short one instead of 1.5.
public final class HMACSHA256: Sendable {
    private let contexts: Striped<Context>

    /// Copies the key; the caller may wipe its own afterwards.
    public init(key: [UInt8]) throws(CryptoError) {
        contexts = try Striped { () throws(CryptoError) in try Context(key: key) }
    }

    /// The code over `prefix ‖ message`.
    public func code(prefix: [UInt8], message: String) throws(CryptoError) -> AuthenticationCode {
        var message = message
        let code: AuthenticationCode? = contexts.mine.state.withLock { state in
            message.withUTF8 { message in
                prefix.withUnsafeBufferPointer { state.code($0, message) }
            }
        }
        guard let code else { throw .failed("HMAC-SHA-256") }
        return code
    }

    /// The same for a message of bytes.
    public func code(prefix: [UInt8], message: [UInt8]) throws(CryptoError) -> AuthenticationCode {
        let code: AuthenticationCode? = contexts.mine.state.withLock { state in
            prefix.withUnsafeBufferPointer { prefix in
                message.withUnsafeBufferPointer { state.code(prefix, $0) }
            }
        }
        guard let code else { throw .failed("HMAC-SHA-256") }
        return code
    }

    /// The 32 bytes of the code over `message`.
    public func code(for message: [UInt8]) throws(CryptoError) -> [UInt8] { try code(for: message.span) }

    /// The 32 bytes of the code over `message`.
    public func code(for message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let code: AuthenticationCode? = contexts.mine.state.withLock { state in
            message.withUnsafeBufferPointer { state.code($0, UnsafeBufferPointer(start: nil, count: 0)) }
        }
        guard let code else { throw .failed("HMAC-SHA-256") }
        return code.bytes
    }

    private final class Context: Sendable {
        let state: Mutex<HMACContext>

        init(key: [UInt8]) throws(CryptoError) {
            let context = try HMACContext(key: key)
            state = Mutex(context)
        }
    }
}

/// An OpenSSL MAC context with a key in it, owned by one holder at a time.
struct HMACContext: ~Copyable {
    private let context: OpaquePointer

    init(key: [UInt8]) throws(CryptoError) {
        guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else { throw .failed("HMAC") }
        defer { EVP_MAC_free(algorithm) }
        let context = KeyMemory.use { Self.prepare(algorithm, key) }
        guard let context else { throw .failed("HMAC key") }
        self.context = context
    }

    private static func prepare(_ algorithm: OpaquePointer, _ key: [UInt8]) -> OpaquePointer? {
        guard let context = EVP_MAC_CTX_new(algorithm) else { return nil }
        var digest = Array("SHA256".utf8CString)
        let isReady = "digest".withCString { name in
            digest.withUnsafeMutableBufferPointer { digest in
                // The list only points to name and digest, which outlive the call: OpenSSL copies what it keeps.
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(context, key, key.count, parameters)
            }
        }
        if isReady == 1 { return context }
        EVP_MAC_CTX_free(context)
        return nil
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// The code over both parts. No key given: starts again under the one set before.
    func code(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> AuthenticationCode? {
        guard EVP_MAC_init(context, nil, 0, nil) == 1,
            EVP_MAC_update(context, first.baseAddress, first.count) == 1,
            second.isEmpty || EVP_MAC_update(context, second.baseAddress, second.count) == 1
        else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var written = 0
        let isDone = withUnsafeMutableBytes(of: &words) {
            EVP_MAC_final(context, $0.bindMemory(to: UInt8.self).baseAddress, &written, $0.count)
        }
        return isDone == 1 && written == 32 ? AuthenticationCode(words: words) : nil
    }
}
