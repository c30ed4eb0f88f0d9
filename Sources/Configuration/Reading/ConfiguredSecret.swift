public import Access
import FormSchema
import Glibc
public import Sensitive

/// A secret that a configuration gives: its text, or for credentials a salted hash of it.
public enum ConfiguredSecret: Sendable, Equatable {
    case text(SensitiveText)
    /// As `cloakroom credential` prints it.
    case hash(SaltedHash)

    /// Whether both are the same secret, for a comparison of two configurations; what a caller presents is compared elsewhere.
    public static func == (left: ConfiguredSecret, right: ConfiguredSecret) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.exposed == right.exposed
        case (.hash(let left), .hash(let right)): left == right
        default: false
        }
    }
}

extension ConfigurationScope {
    /// A secret given as `{file: …}`, `{env: …}`, `{hash: …}` or inline.
    ///
    /// - Parameter takesHash: whether a hash of it is enough.
    func secret(_ reader: DocumentReader, takesHash: Bool = true) -> ConfiguredSecret? {
        if case .text(let text) = reader.node.content {
            noteInlineSecret(reader)
            return checked(text, reader).map(ConfiguredSecret.text)
        }
        let sources = takesHash ? ["file", "env", "hash"] : ["file", "env"]
        guard case .map(let entries) = reader.node.content, let map = reader.map(keys: sources, showsOthers: false)
        else {
            reader.mistake("expected {file: …}\(takesHash ? ", {env: …} or {hash: …}" : " or {env: …}")")
            return nil
        }
        let given = sources.compactMap { map[$0] }
        guard given.count == 1, let only = given.first else {
            // Others have been reported.
            if given.count == entries.count {
                reader.mistake("give exactly one of file\(takesHash ? ", env and hash" : " and env")")
            }
            return nil
        }
        if map["hash"] != nil { return hash(only) }
        return (map["file"] != nil ? contents(ofFile: only) : environmentVariable(only)).map(ConfiguredSecret.text)
    }

    /// A secret whose text is needed, which a hash does not give.
    func secretText(_ reader: DocumentReader) -> SensitiveText? {
        if case .text(let text) = secret(reader, takesHash: false) { text } else { nil }
    }

    private func hash(_ reader: DocumentReader) -> ConfiguredSecret? {
        guard let text = reader.text() else { return nil }
        if let hash = SaltedHash(text) { return .hash(hash) }
        reader.mistake("not a salted hash (make one with: cloakroom credential)")
        return nil
    }

    private func contents(ofFile reader: DocumentReader) -> SensitiveText? {
        guard let path = existingFile(reader), opensFiles else { return nil }
        do {
            return checked(SecretText.secret(in: try FileContents.text(of: path, limit: 1 << 16)), reader)
        } catch {
            reader.mistake("\(path): \(error)")
            return nil
        }
    }

    /// Does not name the variable: what stands in place of its name may be the secret itself.
    static let missingVariable = "the environment has no variable of this name"

    private func environmentVariable(_ reader: DocumentReader) -> SensitiveText? {
        guard let name = reader.text(), opensFiles else { return nil }
        guard let value = getenv(name) else {
            reader.mistake(Self.missingVariable)
            return nil
        }
        guard let text = String(validatingCString: value) else {
            reader.mistake("the variable's value is not UTF-8")
            return nil
        }
        return checked(text, reader)
    }

    private func checked(_ text: String, _ reader: DocumentReader) -> SensitiveText? {
        if let fault = SecretText.fault(of: text) {
            reader.mistake(fault)
            return nil
        }
        return SensitiveText(text)
    }
}
