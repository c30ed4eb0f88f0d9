public import Crypto
import JSON
import Synchronization

/// Tells which credential a presented secret proves.
///
/// What is presented is looked up by its HMAC under a key that the process made for itself: no comparison runs over
/// the secret, so that time tells nothing about how much of it was right, or which names exist. Secrets that are
/// known only as salted hashes are checked apart, by ``match(_:)``, which takes a good part of a second, and
/// remembered by the same digest once they have matched.
public final class CredentialTable: Sendable {
    /// What a look-up finds.
    public enum Recognition: Sendable {
        case known(Credential)
        /// Its digest is not known; it may still fit a salted hash. Check it with ``match(_:)``, off the loop.
        case unchecked
        case unknown
    }

    /// A secret of a credential that is known as a salted hash.
    public struct Hashed: Sendable {
        let hash: SaltedHash
        /// Whose secret it is.
        public let credential: Credential

        /// Whether a secret that fitted the other fits this one, for the same credential.
        func proves(_ other: Hashed) -> Bool {
            hash == other.hash && credential.name.hasSameBytes(as: other.credential.name)
                && credential.username.hasSameBytes(as: other.credential.username)
        }
    }

    /// Matches of salted hashes that are remembered.
    private static let rememberedAtMost = 10_000

    private let digests: HMACSHA256
    private let known: [[UInt8]: Credential]
    private let named: [String: Credential]
    private let certified: [String: Credential]
    private let hashed: [Hashed]
    private let remembered: Mutex<[[UInt8]: Hashed]>
    private let usernames: [String: Credential]

    /// - Parameters:
    ///   - key: 32 random bytes of this process.
    ///   - old: a table under the same key, whose matches are remembered as long as the credential has the same hash.
    public init(_ credentials: [Credential], key: [UInt8], following old: CredentialTable? = nil) throws(CryptoError) {
        digests = try HMACSHA256(key: key)
        var known: [[UInt8]: Credential] = [:]
        var named: [String: Credential] = [:]
        var certified: [String: Credential] = [:]
        var hashed: [Hashed] = []
        var usernames: [String: Credential] = [:]
        for credential in credentials {
            named[credential.name] = credential
            usernames[credential.username] = credential
            if let name = credential.clientCertificate { certified[name] = credential }
            for secret in credential.secrets {
                switch secret {
                case .text(let secret):
                    let basic = Presented.basic(username: credential.username, password: secret)
                    known[try digests.code(for: basic.digestInput)] = credential
                    // Without a name the secret is that of the first who has it; the loader warns.
                    let bearer = try digests.code(for: Presented.bearer(secret).digestInput)
                    known[bearer] = known[bearer] ?? credential
                case .hash(let hash): hashed.append(Hashed(hash: hash, credential: credential))
                }
            }
        }
        self.known = known
        self.named = named
        self.certified = certified
        self.hashed = hashed
        self.usernames = usernames
        remembered = Mutex(
            (old?.remembered.withLock { $0 } ?? [:]).compactMapValues { match in
                hashed.first { $0.proves(match) }
            })
    }

    /// Whether a credential has this name of HTTP Basic.
    public func hasCredential(usernamed name: String) -> Bool { Self.exact(name, in: usernames) != nil }

    /// The credential whose secret is configured as a text and has this digest: the same in every process and at any time.
    public func credential(ofText digest: [UInt8]) -> Credential? { known[digest] }

    /// The credential of this name, for sessions that it made; nil if there is none any more.
    public func credential(named name: String) -> Credential? { Self.exact(name, in: named) }

    /// The credential that a client's certificate proves: that of the first of its names that has one.
    public func credential(ofClientNamed names: [String]) -> Credential? {
        for name in names {
            if let credential = Self.exact(name, in: certified) { return credential }
        }
        return nil
    }

    /// A name that is only canonically equivalent is another one to the program that wrote it.
    private static func exact(_ name: String, in table: [String: Credential]) -> Credential? {
        guard let index = table.index(forKey: name), table[index].key.hasSameBytes(as: name) else { return nil }
        return table[index].value
    }

    /// The keyed digest of what is presented, by which ``FailedSecrets`` and ``recognise(_:)`` know it.
    public func digest(of presented: Presented) throws(CryptoError) -> [UInt8] {
        try digests.code(for: presented.digestInput)
    }

    /// Looks up a digest. Costs about as much whether it is known or not.
    public func recognise(_ digest: [UInt8]) -> Recognition {
        if let credential = known[digest] { return .known(credential) }
        if hashed.isEmpty { return .unknown }
        if let match = remembered.withLock({ $0[digest] }) { return .known(match.credential) }
        return .unchecked
    }

    /// The credential whose salted hash the secret fits; nil if there is none. Takes a good part of a second for each
    /// hash: never call it on a loop. An unknown name costs as much as a known one: it is checked against another
    /// credential's hashes, whose outcome is not used.
    public func match(_ presented: Presented) -> Hashed? {
        switch presented {
        case .basic(let username, let password):
            let own = hashed.filter { $0.credential.username.hasSameBytes(as: username) }
            if own.isEmpty {
                _ = hashed.first?.hash.matches(password)
                return nil
            }
            return own.first { $0.hash.matches(password) }
        case .bearer(let token): return hashed.first { $0.hash.matches(token) }
        }
    }

    /// Remembers that a digest belongs to what ``match(_:)`` has found.
    public func remember(_ digest: [UInt8], as match: Hashed) {
        remembered.withLock { remembered in
            if remembered.count >= Self.rememberedAtMost { remembered.removeAll() }
            remembered[digest] = match
        }
    }
}
