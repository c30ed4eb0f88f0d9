import Crypto
import Sensitive

/// Seals values so that what is stored can neither be read nor moved: the associated data names the vault, the value,
/// the key and the storage (DESIGN section 6).
struct Sealer: Sendable {
    /// The 16 bytes that name the vault.
    let vaultID: [UInt8]
    let random: RandomPool

    /// `nonce ‖ ciphertext ‖ tag`.
    func seal(
        _ value: SensitiveText, id: Int64, storage: Storage, key: DataKey
    ) throws(VaultError) -> [UInt8] {
        let nonce = try crypto(try random.bytes(AES256GCM.nonceSize))
        return try crypto(
            try key.cipher.seal(value.exposed, nonce: nonce, authenticating: associatedData(id, storage, key)))
    }

    /// The value. Throws `corrupt` if the bytes were changed, or belong to another value, vault, key or storage.
    func open(_ sealed: [UInt8], id: Int64, storage: Storage, key: DataKey) throws(VaultError) -> SensitiveText {
        guard let text = key.cipher.open(sealed, authenticating: associatedData(id, storage, key)) else {
            throw .corrupt("value \(id) cannot be opened with its key")
        }
        return SensitiveText(text)
    }

    /// Likewise for an answer, which is bound to its name.
    func seal(answer: [UInt8], name: [UInt8], key: DataKey) throws(VaultError) -> [UInt8] {
        let nonce = try crypto(try random.bytes(AES256GCM.nonceSize))
        return try crypto(
            try key.cipher.seal(answer, nonce: nonce, authenticating: associatedData(name, key)))
    }

    /// The answer. Throws `corrupt` if the bytes were changed, or belong to another name, vault or key.
    func open(answer sealed: [UInt8], name: [UInt8], key: DataKey) throws(VaultError) -> [UInt8] {
        guard let answer = key.cipher.openBytes(sealed, authenticating: associatedData(name, key)) else {
            throw .corrupt("a kept answer cannot be opened with its key")
        }
        return answer
    }

    private func associatedData(_ name: [UInt8], _ key: DataKey) -> [UInt8] {
        // The version of the layout, and a kind that no storage has.
        var data: [UInt8] = [1, 3]
        data.append(contentsOf: vaultID)
        data.append(contentsOf: name)
        withUnsafeBytes(of: key.id.bigEndian) { data.append(contentsOf: $0) }
        return data
    }

    private func associatedData(_ id: Int64, _ storage: Storage, _ key: DataKey) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(40)
        data.append(1)  // the version of this layout
        data.append(storage == .persistent ? 1 : 2)
        data.append(contentsOf: vaultID)
        withUnsafeBytes(of: id.bigEndian) { data.append(contentsOf: $0) }
        withUnsafeBytes(of: key.id.bigEndian) { data.append(contentsOf: $0) }
        return data
    }
}
