import COpenSSL
import Glibc

/// A context with what both sides share: TLS 1.2 at least, authenticated encryption and forward secrecy only.
func makeTLSContext(_ method: OpaquePointer?) throws(IOError) -> OpaquePointer {
    // What an earlier call of this thread has left is no reason of what fails now.
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw .secureConnectionFailed(reason: openSSLReason()) }
    cloakroom_ssl_ctx_prepare(context)
    // A key under a password cannot be used: without this, OpenSSL would ask the terminal for it.
    SSL_CTX_set_default_passwd_cb(context) { _, _, _, wasAsked in
        wasAsked?.assumingMemoryBound(to: Bool.self).pointee = true
        return -1
    }
    guard SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL") == 1 else {
        let reason = openSSLReason()
        SSL_CTX_free(context)
        throw .secureConnectionFailed(reason: reason)
    }
    return context
}

/// Loads a certificate chain (leaf first) and its key from PEM files.
func loadTLSIdentity(certificateChain: String, privateKey: String, into context: OpaquePointer) throws(IOError) {
    try loadCertificateChain(certificateChain, into: context)
    try loadPrivateKey(privateKey, into: context)
    guard SSL_CTX_check_private_key(context) == 1 else {
        throw .unusableTLSFile(path: privateKey, reason: openSSLReason())
    }
}

/// Loads a certificate chain from a PEM file, leaf first.
func loadCertificateChain(_ path: String, into context: OpaquePointer) throws(IOError) {
    try demandRegularFile(path)
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1 else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
}

/// Loads a private key from a PEM file.
func loadPrivateKey(_ path: String, into context: OpaquePointer) throws(IOError) {
    try demandRegularFile(path)
    ERR_clear_error()
    var needsPassword = false
    // Sound: the callback of `makeTLSContext` writes to the place only while the file is read, and is told of no other after.
    let isLoaded = withUnsafeMutablePointer(to: &needsPassword) { place in
        SSL_CTX_set_default_passwd_cb_userdata(context, place)
        defer { SSL_CTX_set_default_passwd_cb_userdata(context, nil) }
        return SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1
    }
    guard !isLoaded else { return }
    let reason = openSSLReason()
    throw .unusableTLSFile(
        path: path, reason: needsPassword ? "the key is under a password, and such keys are not taken" : reason)
}

/// Loads the authorities whose clients a server lets in, and the names of them that it shows to clients, from a PEM file.
func loadClientAuthorities(_ path: String, into context: OpaquePointer) throws(IOError) {
    try loadAuthorities(path, into: context)
    guard let names = SSL_load_client_CA_file(path) else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
    // The context frees them.
    SSL_CTX_set_client_CA_list(context, names)
}

/// Loads the authorities that are trusted from a PEM file.
func loadAuthorities(_ path: String, into context: OpaquePointer) throws(IOError) {
    try demandRegularFile(path)
    ERR_clear_error()
    guard SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
}

/// Refuses what OpenSSL would wait for, such as a pipe that nobody writes to. What is not there it names itself.
private func demandRegularFile(_ path: String) throws(IOError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .unusableTLSFile(path: path, reason: "is not a regular file")
}
