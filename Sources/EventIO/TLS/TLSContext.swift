import COpenSSL
import Glibc

/// A context with the settings of both sides: TLS 1.2 at least, only authenticated encryption with forward secrecy.
func makeTLSContext(_ method: OpaquePointer?) throws(IOError) -> OpaquePointer {
    // Errors left in the queue by earlier calls of this thread must not be reported as the reason of this one.
    ERR_clear_error()
    guard let context = SSL_CTX_new(method) else { throw .secureConnectionFailed(reason: openSSLReason()) }
    cloakroom_ssl_ctx_prepare(context)
    // Encrypted keys are not supported: without this callback OpenSSL would ask for the password on the terminal.
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
    try keepPrivateKeyInKeyMemory(of: context)
}

/// Loads a certificate chain from a PEM file, leaf first.
func loadCertificateChain(_ path: String, into context: OpaquePointer) throws(IOError) {
    try requireRegularFile(path)
    ERR_clear_error()
    guard SSL_CTX_use_certificate_chain_file(context, path) == 1 else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
}

/// Loads a private key from a PEM file.
func loadPrivateKey(_ path: String, into context: OpaquePointer) throws(IOError) {
    try requireRegularFile(path)
    ERR_clear_error()
    var needsPassword = false
    // Sound: the callback of `makeTLSContext` writes to the pointer only while the file is read; it is removed afterwards.
    let isLoaded = withUnsafeMutablePointer(to: &needsPassword) { pointer in
        SSL_CTX_set_default_passwd_cb_userdata(context, pointer)
        defer { SSL_CTX_set_default_passwd_cb_userdata(context, nil) }
        return SSL_CTX_use_PrivateKey_file(context, path, SSL_FILETYPE_PEM) == 1
    }
    guard !isLoaded else { return }
    let reason = openSSLReason()
    throw .unusableTLSFile(
        path: path, reason: needsPassword ? "the key is encrypted with a password, which is not supported" : reason)
}

/// Loads the authorities of a server's clients from a PEM file, and their names, which the server sends to clients.
func loadClientAuthorities(_ path: String, into context: OpaquePointer) throws(IOError) {
    try loadAuthorities(path, into: context)
    guard let names = SSL_load_client_CA_file(path) else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
    // The context takes ownership of the names.
    SSL_CTX_set_client_CA_list(context, names)
}

/// Loads the authorities that are trusted from a PEM file.
func loadAuthorities(_ path: String, into context: OpaquePointer) throws(IOError) {
    try requireRegularFile(path)
    ERR_clear_error()
    guard SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
        throw .unusableTLSFile(path: path, reason: openSSLReason())
    }
}

/// Refuses files on which OpenSSL could block, such as a pipe without a writer. OpenSSL itself reports a missing file.
private func requireRegularFile(_ path: String) throws(IOError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw .unusableTLSFile(path: path, reason: "is not a regular file")
}

/// OpenSSL's text for the first error of this thread's queue, which is emptied. An error of the system, such as a missing file,
/// has the system's text: OpenSSL has none for it.
func openSSLReason() -> String {
    defer { ERR_clear_error() }
    let code = ERR_peek_error()
    // ERR_SYSTEM_FLAG, which is not imported since its definition is not a plain number; the other bits are `errno`.
    if code & 0x8000_0000 != 0 { return errorText(Int32(truncatingIfNeeded: code & 0x7FFF_FFFF)) }
    guard let text = ERR_reason_error_string(code) else { return "unknown reason" }
    return String(cString: text)
}
