import COpenSSL

/// AES key wrap with padding (RFC 5649, which extends RFC 3394; NIST SP 800-38F, KWP): encrypts keys under a key and
/// tells on unwrapping whether it was the right one.
public struct KeyWrap: Sendable {
    private let key: KeyBytes

    /// `key` has 16, 24 or 32 bytes. It is copied; the caller may wipe its own afterwards.
    public init(key: [UInt8]) throws(CryptoError) {
        self.key = try KeyBytes(key)
    }

    /// The wrapped form: the key rounded up to 8 bytes, and 8 more.
    public func wrap(_ secret: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let wrapped = run(secret, encrypts: true) else { throw .failed("AES key wrap") }
        return wrapped
    }

    /// What was wrapped; `nil` if it was not wrapped under this key, or has been changed since.
    public func unwrap(_ wrapped: [UInt8]) -> [UInt8]? {
        wrapped.count >= 16 && wrapped.count % 8 == 0 ? run(wrapped, encrypts: false) : nil
    }

    private func run(_ input: [UInt8], encrypts: Bool) -> [UInt8]? {
        KeyMemory.use { key.withBytes { run(input, under: $0, encrypts: encrypts) } }
    }

    private func run(_ input: [UInt8], under key: UnsafePointer<UInt8>, encrypts: Bool) -> [UInt8]? {
        guard !input.isEmpty, input.count <= 4_096, let cipher, let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        var output = [UInt8](repeating: 0, count: input.count + 16)
        var written: Int32 = 0
        guard EVP_CipherInit_ex(context, cipher, nil, key, nil, encrypts ? 1 : 0) == 1,
            EVP_CipherUpdate(context, &output, &written, input, Int32(input.count)) == 1,
            written > 0, Int(written) <= output.count
        else {
            SecureWipe.wipe(&output)
            return nil
        }
        output.removeLast(output.count - Int(written))
        return output
    }

    private var cipher: OpaquePointer? {
        switch key.count {
        case 16: EVP_aes_128_wrap_pad()
        case 24: EVP_aes_192_wrap_pad()
        case 32: EVP_aes_256_wrap_pad()
        default: nil
        }
    }
}

extension KeyWrap: RedactedPrinting {}
