import COpenSSL

/// A public key that verifies signatures, made from the parameters of a JSON Web Key (RFC 7517, RFC 7518 section 6,
/// RFC 8037).
///
/// A key knows which algorithms fit it, and refuses all others: the caller cannot mistake one kind of key for another.
public final class PublicKey: Sendable {
    /// What a key is made of.
    public enum Parameters: Sendable {
        /// Modulus and exponent, most significant byte first.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// The coordinates of a point on P-256, 32 bytes each.
        case p256(x: [UInt8], y: [UInt8])
        /// 32 bytes.
        case ed25519([UInt8])
    }

    /// Bits of an RSA modulus: 2,048 at least (RFC 7518 section 3.3), and few enough that verifying takes well under
    /// a millisecond.
    public static let rsaBits = 2_048...8_192

    /// Sound although the pointer is not `Sendable`: OpenSSL counts references to keys atomically and only reads a
    /// key that is complete, and every verification has a context of its own.
    private nonisolated(unsafe) let key: OpaquePointer
    private let algorithms: [SignatureAlgorithm]

    /// Nil if the parameters are no key of a size that is taken: an RSA modulus outside ``rsaBits``, an even or huge
    /// exponent, a point that is not on the curve.
    public init?(_ parameters: Parameters) {
        let made: OpaquePointer?
        switch parameters {
        case .rsa(let modulus, let exponent):
            made = Self.rsa(modulus: Self.trimmed(modulus), exponent: Self.trimmed(exponent))
            algorithms = [.rs256, .ps256]
        case .p256(let x, let y):
            made = x.count == 32 && y.count == 32 ? Self.p256(point: [4] + x + y) : nil
            algorithms = [.es256]
        case .ed25519(let bytes):
            made = bytes.count == 32 ? EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, 32) : nil
            algorithms = [.edDSA]
        }
        guard let made else { return nil }
        key = made
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether signatures of this algorithm can be verified with the key.
    public func fits(_ algorithm: SignatureAlgorithm) -> Bool { algorithms.contains(algorithm) }

    /// Whether `signature` is one of `algorithm` over `message` by the private half of this key. False for everything
    /// that is not, an algorithm that does not fit the key included.
    public func verifies(_ signature: [UInt8], over message: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm), let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            // A refused signature leaves entries in the thread's error queue, which TLS calls on this thread would
            // take for theirs.
            ERR_clear_error()
        }
        var parameters: OpaquePointer?
        // Ed25519 hashes by itself.
        let digest = algorithm == .edDSA ? nil : EVP_sha256()
        guard EVP_DigestVerifyInit(context, &parameters, digest, nil, key) == 1 else { return false }
        var signature = signature
        switch algorithm {
        case .rs256: guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1 else { return false }
        case .ps256:
            guard EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1,
                EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, 32) == 1,
                EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, EVP_sha256()) == 1
            else { return false }
        case .es256:
            guard let encoded = ECDSASignature.der(ofP256: signature) else { return false }
            signature = encoded
        case .edDSA: guard signature.count == 64 else { return false }
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Without zeros in front.
    private static func trimmed(_ number: [UInt8]) -> [UInt8] { Array(number.drop { $0 == 0 }) }

    private static func rsa(modulus: [UInt8], exponent: [UInt8]) -> OpaquePointer? {
        guard let first = modulus.first, let last = modulus.last, last & 1 == 1,
            modulus.count <= rsaBits.upperBound / 8,
            rsaBits.contains(modulus.count * 8 - first.leadingZeroBitCount)
        else { return nil }
        // From 3 to 2^32 (FIPS 186-5 asks for more than 2^16; some providers still use 3), and odd.
        guard let low = exponent.last, low & 1 == 1, exponent.count <= 4, exponent.count > 1 || low >= 3 else {
            return nil
        }
        // OpenSSL takes numbers in the byte order of the machine.
        var (n, e) = (native(modulus), native(exponent))
        return n.withUnsafeMutableBufferPointer { n in
            e.withUnsafeMutableBufferPointer { e in
                // Sound: the buffers outlive the call; OpenSSL copies the numbers.
                var parameters = [
                    OSSL_PARAM_construct_BN(name("n"), n.baseAddress, n.count),
                    OSSL_PARAM_construct_BN(name("e"), e.baseAddress, e.count), OSSL_PARAM_construct_end(),
                ]
                return make("RSA", &parameters)
            }
        }
    }

    /// The name of a parameter, which OpenSSL reads when the list is used: a `String` would be gone by then. Sound:
    /// the bytes of a literal last as long as the process, and end in NUL.
    private static func name(_ literal: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func native(_ number: [UInt8]) -> [UInt8] {
        1.littleEndian == 1 ? number.reversed() : number
    }

    private static func p256(point: [UInt8]) -> OpaquePointer? {
        var point = point
        var group = Array("prime256v1".utf8CString)
        return point.withUnsafeMutableBufferPointer { point in
            group.withUnsafeMutableBufferPointer { group in
                // Sound for the same reason.
                var parameters = [
                    OSSL_PARAM_construct_utf8_string(name("group"), group.baseAddress, 0),
                    OSSL_PARAM_construct_octet_string(name("pub"), point.baseAddress, point.count),
                    OSSL_PARAM_construct_end(),
                ]
                return make("EC", &parameters)
            }
        }
    }

    /// A public key of these parameters that OpenSSL has checked.
    private static func make(_ kind: String, _ parameters: inout [OSSL_PARAM]) -> OpaquePointer? {
        defer { ERR_clear_error() }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, publicKeySelection, &parameters) == 1, let key
        else { return nil }
        guard let checking = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            EVP_PKEY_free(key)
            return nil
        }
        defer { EVP_PKEY_CTX_free(checking) }
        guard EVP_PKEY_public_check(checking) == 1 else {
            EVP_PKEY_free(key)
            return nil
        }
        return key
    }

    /// `EVP_PKEY_PUBLIC_KEY`, a macro that Swift does not see: domain parameters (4), other parameters (0x80) and the
    /// public key (2).
    private static let publicKeySelection: Int32 = 0x86
}
