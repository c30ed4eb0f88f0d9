import Crypto

/// The key that wraps all other keys of a vault: 32 bytes that are kept outside it.
public struct MasterKey: Sendable {
    let wrap: KeyWrap
    /// Ten hexadecimal digits that show, without telling anything of the key, whether two keys are the same.
    public let checkValue: String

    /// Takes exactly 32 bytes.
    public init(bytes: [UInt8]) throws(VaultError) {
        guard bytes.count == 32 else { throw .unusableMasterKey("it has \(bytes.count) bytes instead of 32") }
        guard bytes.contains(where: { $0 != bytes[0] }) else { throw .unusableMasterKey("all its bytes are the same") }
        wrap = try crypto(try KeyWrap(key: bytes))
        checkValue = try crypto(try KeyCheck.value(of: bytes))
    }

    /// Reads 64 hexadecimal digits, or the base64 (RFC 4648, section 4; padding optional) of 32 bytes.
    public init(text: String) throws(VaultError) {
        let trimmed = Array(ASCII.trimmed(Array(text.utf8)))
        let bytes = trimmed.count == 64 ? Hexadecimal.decode(trimmed) : Base64.decode(trimmed)
        if bytes?.count != 32, !trimmed.isEmpty, trimmed.allSatisfy(Hexadecimal.isDigit) {
            throw .unusableMasterKey("it has \(trimmed.count) hexadecimal digits instead of 64")
        }
        guard let bytes else { throw .unusableMasterKey("it is neither 64 hexadecimal digits nor base64") }
        try self.init(bytes: bytes)
    }

    /// Reads the key from a file that only its owner may read: 32 raw bytes, or text as above.
    ///
    /// `generate` makes a new key in a file that is not there yet. The caller must only ask for that where no vault
    /// exists: a new key opens no old vault. The file is created for its owner alone and synced, directory included,
    /// before anything is sealed with it.
    public init(file path: String, generate: Bool) throws(VaultError) {
        if generate {
            PrivateFile.removeLeftovers(of: path)
            if !PrivateFile.exists(path) {
                let bytes = try crypto(try RandomPool().bytes(32))
                try PrivateFile.create(path, Array(Hexadecimal.encode(bytes).utf8) + [0x0a])
            }
        }
        let bytes = try PrivateFile.read(path, maximum: 256)
        do { try self.init(contents: bytes) } catch .unusableMasterKey(let reason) {
            throw .unusableMasterKey("\(path): \(reason)")
        }
    }

    private init(contents bytes: [UInt8]) throws(VaultError) {
        // 31 digits and a line end are a broken text and no 32 random bytes.
        let text = ASCII.trimmed(bytes)
        let isBrokenText = text.count < bytes.count && text.allSatisfy(Hexadecimal.isDigit)
        if bytes.count == 32, !isBrokenText {
            try self.init(bytes: bytes)
        } else {
            try self.init(text: String(decoding: bytes, as: UTF8.self))
        }
    }
}

extension MasterKey: RedactedPrinting {}
