import Crypto
import JSON
import Sensitive
import Synchronization
import Vault

/// Tells whose secret a request presents.
///
/// What is presented is looked up by its HMAC under a key that this process made for itself: no comparison runs over the
/// secret, so time tells nothing about how much of it was right, or which names exist. Secrets that are known only as
/// salted hashes are checked off the loops, and remembered by the same digest once they have matched.
final class Authenticator: Sendable {
    /// Why nobody was recognised.
    enum Refusal: Error {
        /// Nothing presented, or nothing that is known.
        case unknown
        /// Too many wait for a hash to be checked.
        case overloaded
    }

    /// Those who may wait for a salted hash to be checked.
    private static let waitingAtMost = 64
    /// Matches that are remembered.
    private static let rememberedAtMost = 10_000

    private struct Hashed: Sendable {
        let username: String
        let hash: SaltedHash
        let credential: Credential
    }

    /// Where those who are turned away are recorded.
    let audit: AuditLog
    private let digest: HMACSHA256
    private let known: [[UInt8]: Credential]
    /// By the name in a client's certificate.
    private let certified: [String: Credential]
    private let hashed: [Hashed]
    private let remembered = Mutex<[[UInt8]: Credential]>([:])
    private let checks: Turnstile

    /// - Parameter checksAtOnce: how many salted hashes are checked at once; each costs a core for a good part of a second.
    init(_ credentials: [CredentialConfiguration], audit: AuditLog, checksAtOnce: Int) throws(CryptoError) {
        self.audit = audit
        checks = Turnstile(free: checksAtOnce, places: Self.waitingAtMost)
        var generator = SystemRandomNumberGenerator()
        digest = try HMACSHA256(key: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        var known: [[UInt8]: Credential] = [:]
        var hashed: [Hashed] = []
        var certified: [String: Credential] = [:]
        for entry in credentials {
            let credential = Credential(name: entry.name, scopes: entry.scopes)
            if let name = entry.clientCertificate { certified[name] = credential }
            switch entry.secret {
            case .text(let secret):
                let basic = Presented.basic(username: entry.username, password: secret)
                known[try digest.code(for: basic.bytes)] = credential
                // Without a name the secret is that of the first who has it; the loader warns.
                let bearer = try digest.code(for: Presented.bearer(secret).bytes)
                known[bearer] = known[bearer] ?? credential
            case .hash(let hash):
                hashed.append(Hashed(username: entry.username, hash: hash, credential: credential))
            case nil: break
            }
        }
        self.known = known
        self.hashed = hashed
        self.certified = certified
    }

    /// The credential that a client's certificate proves: the first of its names that is one.
    func credential(ofClientNamed names: [String]) -> Credential? {
        for name in names {
            // A name that is only canonically equivalent is another one to whoever signed it.
            guard let index = certified.index(forKey: name), certified[index].key.hasSameBytes(as: name) else {
                continue
            }
            return certified[index].value
        }
        return nil
    }

    /// The credential that the `Authorization` of a request proves.
    ///
    /// - Parameter origin: the address that it comes from.
    func credential(presentedBy header: String?, from origin: String) async throws(Refusal) -> Credential {
        guard let header else { throw .unknown }
        switch try recognise(header) {
        case .known(let credential): return credential
        case .unchecked(let code):
            guard await checks.enter(from: origin) else { throw .overloaded }
            defer { checks.leave() }
            // Whoever stood before may have presented the same.
            if let credential = remembered.withLock({ $0[code] }) { return credential }
            guard let credential = await check(header) else { throw .unknown }
            remembered.withLock { remembered in
                if remembered.count >= Self.rememberedAtMost { remembered.removeAll() }
                remembered[code] = credential
            }
            return credential
        }
    }

    private enum Recognition {
        case known(Credential)
        /// Its digest is not known; it may still fit a salted hash.
        case unchecked([UInt8])
    }

    /// Not `async`, so that a secret is never part of a suspended task's memory, which keeps it until something else is
    /// put there.
    private func recognise(_ header: String) throws(Refusal) -> Recognition {
        guard let presented = Presented(header: header), let code = try? digest.code(for: presented.bytes) else {
            throw .unknown
        }
        if let credential = known[code] { return .known(credential) }
        if hashed.isEmpty { throw .unknown }
        if let credential = remembered.withLock({ $0[code] }) { return .known(credential) }
        return .unchecked(code)
    }

    private func check(_ header: String) async -> Credential? {
        let hashed = hashed
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            Presented(header: header).flatMap { Self.match($0, among: hashed) }
        }
    }

    /// An unknown user costs as much as a known one: one check against somebody's hash, whose outcome is not used.
    private static func match(_ presented: Presented, among hashed: [Hashed]) -> Credential? {
        switch presented {
        case .basic(let username, let password):
            let entry = hashed.first { $0.username.hasSameBytes(as: username) }
            let matches = (entry ?? hashed.first)?.hash.matches(password) ?? false
            return matches ? entry?.credential : nil
        case .bearer(let token):
            return hashed.first { $0.hash.matches(token) }?.credential
        }
    }
}
