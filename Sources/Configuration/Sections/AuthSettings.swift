public import Access
import FormSchema

/// The `auth` section: identity providers whose tokens are accepted (docs/reference/access.md section 3).
public struct AuthSettings: Sendable, Equatable {
    /// One entry of `auth.jwt`.
    public struct Issuer: Sendable, Equatable {
        /// Where the provider's public keys come from (RFC 7517).
        public enum Keys: Sendable, Equatable {
            /// Path of a file with a JSON Web Key Set.
            case file(path: String)
            /// Where the set is fetched. Some providers name the set by a query, which is sent as it is.
            case url(BaseURL, query: String?)
        }

        /// What `iss` must be.
        public let issuer: String
        /// What one of `aud` must be.
        public let audience: String
        /// The provider's public keys.
        public let keys: Keys
        /// The claim that holds scopes.
        public var scopesClaim = "scope"
        /// What the provider's names of scopes mean here; nil if it uses the names of this gateway.
        public var scopesMap: [String: Set<Scope>]?
        /// The claim that holds the names of forms; nil: all forms.
        public var formsClaim: String?
        /// By how much the provider's clock may differ.
        public var clockSkew = Duration.seconds(60)
    }

    /// The providers, in the order of the file.
    public var jwt: [Issuer] = []
}

extension ConfigurationScope {
    func auth(_ reader: DocumentReader) -> AuthSettings {
        var auth = AuthSettings()
        guard let map = reader.map(keys: ["jwt"]) else { return auth }
        for entry in map["jwt"]?.list() ?? [] {
            guard let issuer = issuer(entry) else { continue }
            if auth.jwt.contains(where: { $0.issuer == issuer.issuer && $0.audience == issuer.audience }) {
                entry.mistake("another entry has this issuer and this audience")
            }
            auth.jwt.append(issuer)
        }
        return auth
    }

    private func issuer(_ reader: DocumentReader) -> AuthSettings.Issuer? {
        let keys = ["issuer", "audience", "jwks", "scopes", "forms", "clockSkew"]
        guard let map = reader.map(keys: keys) else { return nil }
        // Longer ones are refused in a token.
        let name = map.required("issuer").flatMap { claimText($0, limit: 256) }
        let audience = map.required("audience").flatMap(claimText)
        let source = map.required("jwks").flatMap(keySet)
        // Everything is read before the result is judged, so that all mistakes are found.
        var read = AuthSettings.Issuer(issuer: name ?? "", audience: audience ?? "", keys: source ?? .file(path: ""))
        if let scopes = map["scopes"] { readScopes(scopes, into: &read) }
        read.formsClaim = map["forms"].flatMap(claimText)
        if let skew = map["clockSkew"]?.timeSpan(in: .zero...Duration.seconds(600)) { read.clockSkew = skew }
        return name == nil || audience == nil || source == nil ? nil : read
    }

    /// The name of a claim, or a map from the provider's names in the claim `scope` to scopes.
    private func readScopes(_ reader: DocumentReader, into issuer: inout AuthSettings.Issuer) {
        guard case .map(let entries) = reader.node.content, let map = reader.map(keys: entries.map(\.key)) else {
            if let claim = claimText(reader) { issuer.scopesClaim = claim }
            return
        }
        var names: [String: Set<Scope>] = [:]
        for entry in entries {
            guard let value = map[entry.key] else { continue }
            if case .text = value.node.content {
                names[entry.key] = Set([value.choice(Scope.self)].compactMap(\.self))
            } else {
                names[entry.key] = Set((value.list() ?? []).compactMap { $0.choice(Scope.self) })
            }
        }
        issuer.scopesMap = names
    }

    private func claimText(_ reader: DocumentReader) -> String? { claimText(reader, limit: 2_048) }

    private func claimText(_ reader: DocumentReader, limit: Int) -> String? {
        guard let text = reader.text() else { return nil }
        if (1...limit).contains(text.utf8.count) { return text }
        reader.mistake("must have 1 to \(limit) bytes")
        return nil
    }

    private func keySet(_ reader: DocumentReader) -> AuthSettings.Issuer.Keys? {
        guard let map = reader.map(keys: ["file", "url"]) else { return nil }
        switch (map["file"], map["url"]) {
        case (let file?, nil):
            guard let path = existingFile(file) else { return nil }
            noteFile(path)
            if opensFiles, let fault = dependencies.keySetFault(path) { file.mistake(fault) }
            return .file(path: path)
        case (nil, let url?):
            let base = baseURL(
                url, allowsPlaintext: false, allowsLoopback: true, takesQuery: true, remedy: "")
            guard let base, let text = url.text() else { return nil }
            let query = text.firstIndex(of: "?").map { String(text[text.index(after: $0)...]) }
            guard query?.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) ?? true else {
                url.mistake("the URL has a query with a fragment or a character that must be percent-encoded")
                return nil
            }
            return .url(base, query: query)
        default:
            reader.mistake("give exactly one of file and url")
            return nil
        }
    }
}
