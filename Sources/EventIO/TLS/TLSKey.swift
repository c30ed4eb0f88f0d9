import CKeyMemory
import COpenSSL

/// Moves the private key of a context into the pages for keys, which are locked against swapping and left out of core dumps. What was
/// read from the file is released, and wiped as all memory is.
///
/// OpenSSL keeps more of a key than its numbers: with an RSA key it remembers, from the first signature on, both primes once more. So a
/// signature is made while what OpenSSL allocates comes from those pages. One is made before that, too: what is remembered of
/// algorithms is no key, and must not take room there.
func keepPrivateKeyInKeyMemory(of context: OpaquePointer) throws(IOError) {
    guard let loaded = SSL_CTX_get0_privatekey(context), signs(loaded) else { throw unusable() }
    cloakroom_key_memory_enter()
    defer { cloakroom_key_memory_leave() }
    guard let kept = EVP_PKEY_dup(loaded) else { throw unusable() }
    // The context retains the key.
    defer { EVP_PKEY_free(kept) }
    guard signs(kept), SSL_CTX_use_PrivateKey(context, kept) == 1 else { throw unusable() }
}

/// Makes a signature, which is not used.
private func signs(_ key: OpaquePointer) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    let message: [UInt8] = [0]
    var count = 0
    guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
        EVP_DigestSign(context, nil, &count, message, message.count) == 1, count > 0
    else { return false }
    var signature = [UInt8](repeating: 0, count: count)
    return EVP_DigestSign(context, &signature, &count, message, message.count) == 1
}

private func unusable() -> IOError { .secureConnectionFailed(reason: openSSLReason()) }
