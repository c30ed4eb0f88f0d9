import COpenSSL

/// Checks TLS files one by one before they are used: each is loaded exactly as it will be to serve. All are PEM files. Each
/// function returns OpenSSL's reason, or nil if the file can be used.
public enum TLSFiles {
    /// Checks a certificate with its chain, leaf first.
    public static func fault(inCertificateChain path: String) -> String? {
        fault { (context) throws(IOError) in try loadCertificateChain(path, into: context) }
    }

    /// Checks a private key.
    public static func fault(inPrivateKey path: String) -> String? {
        fault { (context) throws(IOError) in try loadPrivateKey(path, into: context) }
    }

    /// Checks a certificate with its chain, its private key, and that the two belong together.
    public static func fault(inPrivateKey path: String, ofCertificateChain chain: String) -> String? {
        fault { (context) throws(IOError) in
            try loadTLSIdentity(certificateChain: chain, privateKey: path, into: context)
        }
    }

    /// Checks certificates of authorities.
    public static func fault(inAuthorities path: String) -> String? {
        fault { (context) throws(IOError) in try loadClientAuthorities(path, into: context) }
    }

    private static func fault(_ load: (OpaquePointer) throws(IOError) -> Void) -> String? {
        do {
            let context = try makeTLSContext(TLS_server_method())
            defer { SSL_CTX_free(context) }
            try load(context)
            return nil
        } catch .unusableTLSFile(_, let reason) {
            return reason
        } catch {
            return error.description
        }
    }
}
