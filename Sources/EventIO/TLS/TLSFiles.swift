import COpenSSL

/// Tells what is wrong with files that TLS is to use, one by one and before anything is served with them: each is loaded as it
/// is to serve. All are PEM files. Each answer is OpenSSL's reason; nil if the file can be used.
public enum TLSFiles {
    /// Of a certificate with its chain, leaf first.
    public static func fault(inCertificateChain path: String) -> String? {
        fault { (context) throws(IOError) in try loadCertificateChain(path, into: context) }
    }

    /// Of a private key.
    public static func fault(inPrivateKey path: String) -> String? {
        fault { (context) throws(IOError) in try loadPrivateKey(path, into: context) }
    }

    /// Of a certificate with its chain, of its private key, or of the two together.
    public static func fault(inPrivateKey path: String, ofCertificateChain chain: String) -> String? {
        fault { (context) throws(IOError) in
            try loadTLSIdentity(certificateChain: chain, privateKey: path, into: context)
        }
    }

    /// Of certificates of authorities.
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
