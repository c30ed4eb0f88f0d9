import FormSchema

/// Files that TLS uses are opened while the configuration is read, so that `check` finds what would stop `serve`.
extension ConfigurationScope {
    /// The path of a file with certificates of authorities.
    ///
    /// - Parameter owner: what the file is for, if its key path does not tell.
    func authorities(_ reader: DocumentReader, for owner: String? = nil) -> String? {
        file(reader, owner, "no authority's certificate in PEM", dependencies.tls.authoritiesFault)
    }

    /// Paths of `certificate` and `key`, which belong together.
    func identity(_ map: MapReader, for owner: String? = nil) -> (certificate: String, key: String)? {
        let certificate = map.required("certificate").flatMap {
            file($0, owner, "no certificate in PEM", dependencies.tls.certificateFault)
        }
        let reader = map.required("key")
        let key = reader.flatMap { file($0, owner, "no private key in PEM", dependencies.tls.keyFault) }
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
        guard opensFiles, let fault = fault(path) else { return path }
        mistake(reader, owner, "\(path): \(meaning) (\(fault))")
        return nil
    }

    private func mistake(_ reader: DocumentReader, _ owner: String?, _ message: String) {
        reader.mistake(owner.map { "\($0): \(message)" } ?? message)
    }
}
