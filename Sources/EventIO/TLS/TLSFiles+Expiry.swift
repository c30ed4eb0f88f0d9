import COpenSSL

extension TLSFiles {
    /// When the certificates in a PEM file expire (`notAfter`, RFC 5280 section 4.1.2.5), in Unix seconds and in the order of the
    /// file. Empty if the file cannot be read or has no certificate.
    public static func expiries(inCertificates path: String) -> [Int64] {
        times(inCertificates: path) { X509_get0_notAfter($0) }
    }

    /// When the certificates in a PEM file become valid (`notBefore`), in Unix seconds and in the order of the file.
    public static func beginnings(inCertificates path: String) -> [Int64] {
        times(inCertificates: path) { X509_get0_notBefore($0) }
    }

    private static func times(
        inCertificates path: String, _ time: (OpaquePointer) -> UnsafePointer<ASN1_TIME>?
    ) -> [Int64] {
        guard let file = BIO_new_file(path, "r") else {
            ERR_clear_error()
            return []
        }
        defer { BIO_free(file) }
        var times: [Int64] = []
        while let certificate = PEM_read_bio_X509(file, nil, nil, nil) {
            defer { X509_free(certificate) }
            if let seconds = seconds(of: time(certificate)) { times.append(seconds) }
        }
        // The end of the file is an error, too.
        ERR_clear_error()
        return times
    }

    /// Unix seconds.
    static func seconds(of time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var days: CInt = 0
        var seconds: CInt = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
