import AuditLog
import Configuration
import Crypto
import JSON
import Sensitive
import Synchronization
import Vault

/// Finds the credential that a request presents.
///
/// A presented secret is looked up by its HMAC under a random key of this process. Nothing compares secrets themselves, so the
/// time of a look-up does not depend on how much of a secret is right, or on which names exist. Secrets that are configured as
/// salted hashes are checked off the loops, and cached by the same HMAC once they have matched.
final class Authenticator: Sendable {
    enum LookupError: Error {
        /// Nothing was presented, or nothing known.
        case unknown
        /// The queue for checking salted hashes is full.
        case overloaded
    }

    /// Requests that may wait for a salted hash to be checked.
    private static let queueLimit = 64
    /// Entries of the cache; it is emptied when it is full.
    private static let cacheLimit = 10_000

    private struct Hashed: Sendable {
        let username: String
        let hash: SecretHash
        let credential: Credential
    }

    /// Records rejected requests.
    let audit: AuditLog
    private let digest: HMACSHA256
    private let known: [[UInt8]: Credential]
    /// By the name in a client's certificate.
    private let certified: [String: Credential]
    private let hashed: [Hashed]
    private let cache = Mutex<[[UInt8]: Credential]>([:])
    private let checks: FairSemaphore

    /// - Parameter checksAtOnce: how many salted hashes are checked at once; each costs a core for a good part of a second.
    init(_ credentials: [CredentialSettings], audit: AuditLog, checksAtOnce: Int) throws(CryptoError) {
        self.audit = audit
        checks = FairSemaphore(permits: checksAtOnce, queueLimit: Self.queueLimit)
        var generator = SystemRandomNumberGenerator()
        digest = try HMACSHA256(key: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        var known: [[UInt8]: Credential] = [:]
        var hashed: [Hashed] = []
        var certified: [String: Credential] = [:]
        for entry in credentials {
            let credential = Credential(name: entry.name, scopes: entry.scopes)
            if let name = entry.clientCertificate { certified[name] = credential }
            for secret in entry.secrets {
                switch secret {
                case .text(let secret):
                    let basic = PresentedSecret.basic(username: entry.username, password: secret)
                    known[try digest.code(for: basic.bytes)] = credential
                    // A Bearer token has no user name: of credentials with the same secret the first is found; the loader warns.
                    let bearer = try digest.code(for: PresentedSecret.bearer(secret).bytes)
                    known[bearer] = known[bearer] ?? credential
                case .hash(let hash):
                    hashed.append(Hashed(username: entry.username, hash: hash, credential: credential))
                }
            }
        }
        self.known = known
        self.hashed = hashed
        self.certified = certified
    }

    /// The credential of a client's certificate: the first of its names that is configured.
    func credential(ofClientNamed names: [String]) -> Credential? {
        for name in names {
            // Compared byte for byte: a dictionary also finds canonically equivalent names, which are other names to the CA.
            guard let index = certified.index(forKey: name), certified[index].key.hasSameBytes(as: name) else {
                continue
            }
            return certified[index].value
        }
        return nil
    }

    /// The credential of an `Authorization` header.
    ///
    /// - Parameter origin: the client's address.
    func credential(presentedBy header: String?, from origin: String) async throws(LookupError) -> Credential {
        guard let header else { throw .unknown }
        switch try lookUp(header) {
        case .known(let credential): return credential
        case .unchecked(let code):
            guard await checks.acquire(from: origin) else { throw .overloaded }
            defer { checks.release() }
            // Another request may have checked the same secret meanwhile.
            if let credential = cache.withLock({ $0[code] }) { return credential }
            guard let credential = await check(header) else { throw .unknown }
            cache.withLock { cache in
                if cache.count >= Self.cacheLimit { cache.removeAll() }
                cache[code] = credential
            }
            return credential
        }
    }

    private enum Lookup {
        case known(Credential)
        /// The HMAC is not known; a salted hash may still match.
        case unchecked([UInt8])
    }

    /// Not `async`, so that the secret is never in an async frame, which is not wiped when it ends.
    private func lookUp(_ header: String) throws(LookupError) -> Lookup {
        guard let presented = PresentedSecret(header: header), let code = try? digest.code(for: presented.bytes) else {
            throw .unknown
        }
        if let credential = known[code] { return .known(credential) }
        if hashed.isEmpty { throw .unknown }
        if let credential = cache.withLock({ $0[code] }) { return .known(credential) }
        return .unchecked(code)
    }

    private func check(_ header: String) async -> Credential? {
        let hashed = hashed
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            PresentedSecret(header: header).flatMap { Self.match($0, among: hashed) }
        }
    }

    /// An unknown user name costs as much as a known one: the first hash is checked, and the result is not used.
    private static func match(_ presented: PresentedSecret, among hashed: [Hashed]) -> Credential? {
        switch presented {
        case .basic(let username, let password):
            // Two while one secret replaces another.
            let entries = hashed.filter { $0.username.hasSameBytes(as: username) }
            if entries.isEmpty { _ = hashed.first?.hash.matches(password) }
            return entries.first { $0.hash.matches(password) }?.credential
        case .bearer(let token):
            return hashed.first { $0.hash.matches(token) }?.credential
        }
    }
}
