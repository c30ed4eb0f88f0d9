import Crypto

/// Volatile values that several processes share: sealed with their name, aliases, formats, classifiers and expiry, under a name that
/// is random. An alias's name is a code of it, so that the server that keeps them learns no character of an alias either.
extension Sealer {
    /// What is stored of a record.
    func seal(_ record: SharedVolatileRecord, by keys: SharedVolatileKeys) throws(VaultError) -> [UInt8] {
        var content = record.content
        defer { SecureWipe.wipe(&content) }
        let data = associatedData(shared: record.name)
        let nonce = try nonce(data) { (prefix) throws(CryptoError) in
            try keys.values.nonces.code(prefix: prefix, message: content)
        }
        return try crypto(try keys.values.cipher.seal(content, nonce: nonce, authenticating: data))
    }

    /// The record. Throws `damaged` if it is not what was sealed under that name.
    func open(_ stored: SharedVolatileValue, by keys: SharedVolatileKeys) throws(VaultError) -> SharedVolatileRecord {
        guard let name = Binding(sharedName: stored.name),
            var content = keys.values.cipher.openBytes(
                stored.sealed, authenticating: associatedData(shared: name))
        else { throw .damaged(alias: nil) }
        defer { SecureWipe.wipe(&content) }
        guard let record = SharedVolatileRecord(name: name, content: content) else { throw .damaged(alias: nil) }
        return record
    }

    /// What an alias is found by.
    func name(ofShared alias: String, by keys: SharedVolatileKeys) throws(VaultError) -> String {
        let code = try crypto(
            try keys.names.code(prefix: preamble(.sharedVolatileAlias, capacity: 26), message: alias))
        return Hexadecimal.encode(code.bytes)
    }

    private func associatedData(shared name: Binding) -> [UInt8] {
        var data = preamble(.sharedVolatileValue, capacity: 42)
        data.append(contentsOf: name.bytes)
        return data
    }
}

extension Binding {
    /// Of the name under which the server has a value; nil if it is none.
    init?(sharedName name: String) {
        guard let binding = Hexadecimal.decode(name.utf8).flatMap(Binding.init(bytes:)) else { return nil }
        self = binding
    }
}
