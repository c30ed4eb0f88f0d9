import COpenSSL
import Glibc

/// The supported versions of TLS (RFC 8996 forbids older ones).
public enum TLSVersion: String, CaseIterable, Sendable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

/// A client's TLS settings: the authorities that it trusts, and its own certificate. The server's certificate and host name
/// are always verified.
///
/// `@unchecked Sendable` is sound: the `SSL_CTX` is not changed after `init`, and OpenSSL lets any number of threads make
/// sessions from one.
public final class TLSClientContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// Trusts the system's store, or only the authorities in the PEM file `trustedCA`. `certificateChain` and `privateKey`
    /// are used with servers that request a client certificate. Throws `IOError.unusableTLSFile`.
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

    /// A session that accepts only a certificate for `host`: an address must be among the certificate's addresses, a name among
    /// its alternative names (RFC 9525). A name is also sent as SNI (RFC 6066 section 3: never an address).
    func makeSession(descriptor: CInt, host: String) throws(IOError) -> TLSSession {
        guard let ssl = SSL_new(context) else { throw .secureConnectionFailed(reason: openSSLReason()) }
        let session = TLSSession(ssl)
        let accepted: Bool
        // OpenSSL checks nothing for an empty name, accepts all subdomains for one that begins with a dot, and stops at a NUL.
        if host.isEmpty || host.hasPrefix(".") || host.utf8.contains(0) {
            throw .secureConnectionFailed(reason: "not a host name")
        }
        if SocketAddress(host, port: 0) != nil {
            accepted = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        } else {
            // The dot says that no search domain is to be tried; it is no part of the name in certificates, or in SNI.
            let name = host.hasSuffix(".") ? String(host.dropLast()) : host
            // A common name is no host name (RFC 9525 section 2).
            SSL_set_hostflags(
                ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            cloakroom_ssl_set_server_name(ssl, name)
            accepted = !name.isEmpty && SSL_set1_host(ssl, name) == 1
        }
        // Without the name, OpenSSL would accept any certificate of a trusted authority.
        guard accepted, SSL_set_fd(ssl, descriptor) == 1 else {
            throw .secureConnectionFailed(reason: openSSLReason())
        }
        cloakroom_ssl_offer_http11(ssl)
        SSL_set_connect_state(ssl)
        return session
    }
}
