import Crypto

/// How erasures are stored: sealed and named like responses to repeatable requests, so that a database shows neither classifiers nor who
/// asked. One more record lists those that are under way, and one those that have ended and whose end is not recorded yet.
struct ErasureNotes: Sendable {
    /// A finished erasure can be looked up for so many seconds.
    static let lifetime: Int64 = 30 * 86_400
    /// One that is under way for so many.
    static let openLifetime: Int64 = 3_650 * 86_400
    /// How many may be under way.
    static let open = 64
    /// How many may be under way when one begins that erases nothing but values of the store: it waits for no other server.
    static let openWithStored = 80
    /// How many ends are remembered until they are recorded: beyond them the oldest is not.
    static let ended = 1_024

    /// How often a record is read again after another process has changed it meanwhile.
    static let attempts = 16

    private let names: HMACSHA256
    /// The name of the record that lists those under way.
    let list: [UInt8]
    /// The name of the record that lists those that have ended and whose end is not recorded yet.
    let ended: [UInt8]

    /// - Parameter root: the root key of stored responses.
    init(root: [UInt8]) throws(VaultError) {
        var key = try crypto(try HKDF.key(from: root, purpose: Array("cloakroom/erasures/1".utf8), count: 32))
        defer { SecureWipe.wipe(&key) }
        names = try crypto(try HMACSHA256(key: key))
        list = try crypto(try names.code(for: Array("open".utf8)))
        ended = try crypto(try names.code(for: Array("ended".utf8)))
    }

    /// The name of an erasure's record.
    func name(_ id: String) throws(VaultError) -> [UInt8] { try crypto(try names.code(for: Array("id/\(id)".utf8))) }
}
