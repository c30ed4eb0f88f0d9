import COpenSSL

/// Tells what is wrong with files that TLS is to use, one by one and before anything is served with them. All are PEM files.
/// Each answer is OpenSSL's reason; nil if the file can be used.
public enum TLSFiles {
    /// Of a certificate with its chain, leaf first.
    public static func fault(inCertificateChain path: String) -> String? {
        fault { SSL_CTX_use_certificate_chain_file($0, path) == 1 }
    }

    /// Of a private key.
    public static func fault(inPrivateKey path: String) -> String? {
        var fault: String?
        let other = self.fault {
            fault = loadPrivateKey(path, into: $0)
            return true
        }
        return fault ?? other
    }

    /// Of a private key that must be the one of a certificate.
    public static func fault(inPrivateKey path: String, ofCertificateChain chain: String) -> String? {
        fault(inPrivateKey: path)
            ?? fault {
                SSL_CTX_use_certificate_chain_file($0, chain) == 1
                    && SSL_CTX_use_PrivateKey_file($0, path, SSL_FILETYPE_PEM) == 1
                    && SSL_CTX_check_private_key($0) == 1
            }
    }

    /// Of certificates of authorities.
    public static func fault(inAuthorities path: String) -> String? {
        fault {
            guard SSL_CTX_load_verify_locations($0, path, nil) == 1, let names = SSL_load_client_CA_file(path) else {
                return false
            }
            // The context frees them.
            SSL_CTX_set_client_CA_list($0, names)
            return true
        }
    }

    private static func fault(_ attempt: (OpaquePointer) -> Bool) -> String? {
        let context: OpaquePointer
        do { context = try makeTLSContext(TLS_server_method()) } catch { return error.description }
        defer { SSL_CTX_free(context) }
        ERR_clear_error()
        return attempt(context) ? nil : openSSLReason()
    }
}
