@testable import Crypto

/// Rows as the version before wrote them (store format 2): AES-256-GCM with the vault's, the value's and the key's id as associated
/// data, fingerprints over vault id and value, keys wrapped with their purpose and number.
public struct FormatTwo: Sendable {
    public struct Key: Sendable {
        public let id: Int64
        public let purpose: Int64
        public let wrapped: [UInt8]
    }

    public let vaultID: [UInt8]
    public let keys: [Key]
    private let data: [UInt8]
    private let fingerprints: [UInt8]

    /// A vault with a fingerprint key and one data key, under the first of the test's master keys.
    public init() throws {
        vaultID = (0..<16).map { 0xA0 + $0 }
        fingerprints = (0..<32).map { $0 }
        data = (0..<32).map { 0x40 + $0 }
        let wrap = try KeyWrap(key: (0..<32).map { $0 + 1 })
        keys = try [(1, 2, fingerprints), (2, 1, data)].map { id, purpose, key in
            Key(
                id: id, purpose: purpose,
                wrapped: try wrap.wrap([UInt8(purpose)] + Self.bytes(id) + key))
        }
    }

    /// The sealed bytes of a value.
    public func sealed(_ value: String, id: Int64) throws -> [UInt8] {
        try seal(
            Array(value.utf8), nonce: (0..<12).map { UInt8(truncatingIfNeeded: id) &+ $0 },
            authenticating: [1, 1] + vaultID + Self.bytes(id) + Self.bytes(2))
    }

    /// The sealed bytes of a stored response.
    public func sealed(response: [UInt8], name: [UInt8]) throws -> [UInt8] {
        try seal(
            response, nonce: (0..<12).map { 0xF0 + $0 / 2 },
            authenticating: [1, 3] + vaultID + name + Self.bytes(2))
    }

    private func seal(_ bytes: [UInt8], nonce: [UInt8], authenticating additional: [UInt8]) throws -> [UInt8] {
        let context = try CipherContext(key: data, encrypts: true)
        return try Sealed.bytes(nonce.count + bytes.count + CipherContext.tagSize) { output in
            bytes.withUnsafeBufferPointer { plain in
                nonce.withUnsafeBufferPointer {
                    context.seal(plain, nonce: $0, authenticating: additional, into: output)
                }
            }
        }
    }

    /// The fingerprint of a value.
    public func fingerprint(_ value: String) throws -> [UInt8] {
        try HMACSHA256(key: fingerprints).code(prefix: vaultID, message: value).bytes
    }

    /// The key that the audit log was chained with.
    public func auditKey() throws -> [UInt8] {
        try HMACSHA256(key: fingerprints).code(for: Array("cloakroom/key/audit/1".utf8) + vaultID)
    }

    private static func bytes(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
