import COpenSSL
import Glibc

/// What a client needs to speak TLS: whom it trusts, and who it is. Certificate and host name are always verified.
///
/// `@unchecked Sendable` is sound: the `SSL_CTX` is not changed after `init`, and OpenSSL lets any number of threads make
/// sessions from one.
public final class TLSClientContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// Trusts the system's store, or only the authorities in the PEM file `trustedCA`. `certificateChain` and `privateKey`
    /// are shown to servers that ask for them. Throws `IOError.unusableTLSFile`.
    public init(
        trustedCA: String? = nil, identity: (certificateChain: String, privateKey: String)? = nil,
        minimumVersion: TLSVersion = .tls12
    ) throws(IOError) {
        context = try makeTLSContext(TLS_client_method())
        if minimumVersion == .tls13 { cloakroom_ssl_ctx_require_tls13(context) }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        if let trustedCA {
            try loadAuthorities(trustedCA, into: context)
        } else {
            guard SSL_CTX_set_default_verify_paths(context) == 1 else {
                throw .unusableTLSFile(path: "system trust store", reason: openSSLReason())
            }
        }
        if let identity {
            try loadTLSIdentity(
                certificateChain: identity.certificateChain, privateKey: identity.privateKey, into: context)
        }
    }

    deinit { SSL_CTX_free(context) }

    /// A session that accepts only a certificate for `host`: an address is looked for among the certificate's addresses,
    /// a name among its names (RFC 9525); a name also goes into SNI (RFC 6066 section 3: never an address).
    func makeSession(descriptor: CInt, host: String) throws(IOError) -> TLSSession {
        guard let ssl = SSL_new(context) else { throw .secureConnectionFailed(reason: openSSLReason()) }
        let session = TLSSession(ssl)
        let accepted: Bool
        // OpenSSL takes an empty name for none to be checked, one that begins with a dot for all names below, and reads no further
        // than a NUL.
        if host.isEmpty || host.hasPrefix(".") || host.utf8.contains(0) {
            throw .secureConnectionFailed(reason: "no host has this name")
        }
        if SocketAddress(host, port: 0) != nil {
            accepted = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        } else {
            SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
            cloakroom_ssl_set_server_name(ssl, host)
            accepted = SSL_set1_host(ssl, host) == 1
        }
        // Without the name set, any certificate of a trusted authority would do: never go on then.
        guard accepted, SSL_set_fd(ssl, descriptor) == 1 else {
            throw .secureConnectionFailed(reason: openSSLReason())
        }
        cloakroom_ssl_offer_http11(ssl)
        SSL_set_connect_state(ssl)
        return session
    }
}
