import CKeyMemory
import COpenSSL

/// The pages that keys lie in: locked against swapping and left out of core dumps, whether or not the whole process is. Contexts of
/// this module and ``KeyBytes`` use them; what a call derives for its own duration lies on the stack or in memory that is wiped when
/// it is released.
public enum KeyMemory {
    /// Lets OpenSSL allocate there, which it only allows before it has allocated anything: to be called first of all. Without it the
    /// contexts of keys lie in ordinary memory.
    public static func install() { _ = isInstalled }

    /// Whether all keys lie in locked pages.
    public static var isLocked: Bool { isInstalled && cloakroom_key_memory_is_locked() }

    private static let isInstalled =
        CRYPTO_set_mem_functions(
            cloakroom_key_memory_crypto_malloc, cloakroom_key_memory_crypto_realloc, cloakroom_key_memory_crypto_free)
        == 1

    /// What OpenSSL allocates in `body` on this thread lies there.
    static func use<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = areAlgorithmsKnown
        cloakroom_key_memory_enter()
        defer { cloakroom_key_memory_leave() }
        return try body()
    }

    /// Whether OpenSSL has looked up the algorithms of keys. What it remembers of them is no key, and must not take room there.
    private static let areAlgorithmsKnown: Bool = {
        for name in ["AES-256-GCM", "AES-256-ECB", "AES-256-WRAP-PAD"] {
            EVP_CIPHER_free(EVP_CIPHER_fetch(nil, name, nil))
        }
        EVP_MAC_free(EVP_MAC_fetch(nil, "HMAC", nil))
        EVP_MD_free(EVP_MD_fetch(nil, "SHA256", nil))
        EVP_KDF_free(EVP_KDF_fetch(nil, "HKDF", nil))
        return true
    }()
}
