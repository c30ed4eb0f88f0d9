import COpenSSL

/// A context with what both sides share: TLS 1.2 at least, authenticated encryption and forward secrecy only.
func makeTLSContext(_ method: OpaquePointer?) throws(IOError) -> OpaquePointer {
    guard let context = SSL_CTX_new(method) else { throw .secureConnectionFailed(reason: openSSLReason()) }
    cloakroom_ssl_ctx_prepare(context)
    // A key under a password cannot be used: without this, OpenSSL would ask the terminal for it.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in -1 }
    guard SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL") == 1 else {
        let reason = openSSLReason()
        SSL_CTX_free(context)
        throw .secureConnectionFailed(reason: reason)
    }
    return context
}

/// Loads a certificate chain (leaf first) and its key from PEM files.
func loadTLSIdentity(certificateChain: String, privateKey: String, into context: OpaquePointer) throws(IOError) {
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(context, certificateChain) == 1 else {
        throw .unusableTLSFile(path: certificateChain, reason: openSSLReason())
    }
    guard SSL_CTX_use_PrivateKey_file(context, privateKey, SSL_FILETYPE_PEM) == 1,
        SSL_CTX_check_private_key(context) == 1
    else { throw .unusableTLSFile(path: privateKey, reason: openSSLReason()) }
}
