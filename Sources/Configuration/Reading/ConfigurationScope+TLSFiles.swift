import FormSchema

/// Files that TLS uses are opened while the configuration is read, so that `check` finds what would stop `serve`.
extension ConfigurationScope {
    /// The path of a file with certificates of authorities.
    ///
    /// - Parameter owner: what the file is for, if its key path does not tell.
    func authorities(_ reader: DocumentReader, for owner: String? = nil) -> String? {
        guard let path = file(reader, owner, "no authority's certificate in PEM", dependencies.tls.authoritiesFault)
        else {
            return nil
        }
        // A bundle may hold authorities that have expired beside others that have not.
        if opensFiles, let last = dependencies.tls.expiries(path).max() { judge(expiry: last, path, reader, owner) }
        return path
    }

    private func judge(expiry: Int64, _ path: String, _ reader: DocumentReader, _ owner: String?) {
        if expiry <= dependencies.now() {
            mistake(reader, owner, "\(path): the certificate has expired (\(Instant.text(seconds: expiry)))")
        } else {
            warn(ofExpiry: expiry, of: "the certificate \(path)", at: reader)
        }
    }

    /// Warns of what has expired or will within thirty days (docs/reference/access.md section 1).
    func warn(ofExpiry expiry: Int64, of what: String, at reader: DocumentReader) {
        let now = dependencies.now()
        let date = Instant.text(seconds: expiry)
        if expiry <= now {
            reader.warning("\(what) has expired (\(date))")
        } else if expiry - now < 30 * 86_400 {
            reader.warning("\(what) expires within thirty days (\(date))")
        }
    }

    /// Paths of `certificate` and `key`, which belong together.
    func identity(_ map: MapReader, for owner: String? = nil) -> (certificate: String, key: String)? {
        let certificate = map.required("certificate").flatMap {
            file($0, owner, "no certificate in PEM", dependencies.tls.certificateFault)
        }
        let reader = map.required("key")
        let key = reader.flatMap { file($0, owner, "no private key in PEM", dependencies.tls.keyFault) }
        if opensFiles, let certificate, let reader = map["certificate"],
            let first = dependencies.tls.expiries(certificate).min()
        {
            judge(expiry: first, certificate, reader, owner)
            if let begins = dependencies.tls.beginnings(certificate).max(), begins > dependencies.now() {
                reader.warning("\(certificate): the certificate is not valid before \(Instant.text(seconds: begins))")
            }
        }
        guard let certificate, let key, let reader else { return nil }
        if opensFiles, let fault = dependencies.tls.identityFault(key, certificate) {
            mistake(reader, owner, "\(key): not the key of \(certificate) (\(fault))")
            return nil
        }
        return (certificate, key)
    }

    private func file(
        _ reader: DocumentReader, _ owner: String?, _ meaning: String, _ fault: (String) -> String?
    ) -> String? {
        guard let path = existingFile(reader) else { return nil }
        noteFile(path)
        guard opensFiles, let fault = fault(path) else { return path }
        mistake(reader, owner, "\(path): \(meaning) (\(fault))")
        return nil
    }

    private func mistake(_ reader: DocumentReader, _ owner: String?, _ message: String) {
        reader.mistake(owner.map { "\($0): \(message)" } ?? message)
    }
}
