import COpenSSL

/// A server's settings for TLS 1.2 and 1.3: its certificate chain and key, and the authority of its clients.
///
/// `@unchecked Sendable` is sound: the `SSL_CTX` is not changed after `init`, and OpenSSL lets any number of threads make
/// sessions from one.
public final class TLSServerContext: @unchecked Sendable {
    private let context: OpaquePointer
    /// Whether clients must present a certificate.
    public let verifiesClients: Bool

    /// Reads PEM files. With `clientCA`, only clients with a certificate of that authority are accepted.
    /// The cipher suites for TLS 1.2 are those with forward secrecy and authenticated encryption (RFC 9325 section 4.2).
    /// Throws `IOError.unusableTLSFile`.
    public init(certificateChain: String, privateKey: String, clientCA: String? = nil) throws(IOError) {
        verifiesClients = clientCA != nil
        context = try makeTLSContext(TLS_server_method())
        try loadTLSIdentity(certificateChain: certificateChain, privateKey: privateKey, into: context)
        cloakroom_ssl_ctx_select_http11(context)
        // Sessions are resumed by tickets only; the context id keeps a ticket from being used with another client check.
        SSL_CTX_set_session_id_context(context, "cloakroom", 9)
        guard let clientCA else { return }
        try loadClientAuthorities(clientCA, into: context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // A session that is resumed shows no certificate: it would go on after the certificate's end.
        cloakroom_ssl_ctx_refuse_tickets(context)
    }

    deinit { SSL_CTX_free(context) }

    /// Whether it would accept the certificate that a session's peer has shown to another context.
    func accepts(peerOf session: OpaquePointer) -> Bool {
        guard verifiesClients, let certificate = SSL_get1_peer_certificate(session) else { return false }
        defer { X509_free(certificate) }
        guard let check = X509_STORE_CTX_new() else { return false }
        defer {
            X509_STORE_CTX_free(check)
            ERR_clear_error()
        }
        // Sound: the check borrows the store, the certificate and the chain, which all live until it is freed.
        let store = SSL_CTX_get_cert_store(context)
        guard X509_STORE_CTX_init(check, store, certificate, SSL_get_peer_cert_chain(session)) == 1,
            X509_STORE_CTX_set_default(check, "ssl_client") == 1
        else { return false }
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(check), SSL_CTX_get_security_level(context))
        return X509_verify_cert(check) == 1
    }

    func makeSession(descriptor: CInt) throws(IOError) -> TLSSession {
        guard let ssl = SSL_new(context) else { throw .secureConnectionFailed(reason: openSSLReason()) }
        let session = TLSSession(ssl)
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw .secureConnectionFailed(reason: openSSLReason()) }
        SSL_set_accept_state(ssl)
        return session
    }
}
