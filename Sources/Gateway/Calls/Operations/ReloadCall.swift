import EventHTTP
import HTTPWire
import JSON
import Synchronization
import Vault

/// `POST /reload` on the admin listener: how `cloakroom reload` reaches the process. The caller must prove that it has the master key,
/// as for ``MaintenanceCalls``.
final class ReloadCall: Sendable {
    static let path = "/reload"

    private let proof: MasterKeyProof
    private let reload = Mutex<(@Sendable (_ person: String) async -> ReloadReport)?>(nil)

    init(_ opened: OpenVault) throws(VaultError) {
        do { proof = try MasterKeyProof(key: opened.vault.key(for: .operations)) } catch { throw VaultError(error) }
    }

    /// What a call does, for the person who makes it. Until it is set, calls are refused.
    func setAction(_ action: @escaping @Sendable (_ person: String) async -> ReloadReport) {
        reload.withLock { $0 = action }
    }

    /// Returns the response's body.
    func respond(to request: ServerRequest) async throws(CallError) -> [UInt8] {
        guard request.head.method == .post else { throw .methodNotAllowed(allowed: "POST") }
        guard proof.isValid(request.head[.authorization], Self.path, request.body) else {
            throw .forbidden("only the holder of the master key may do this: use `cloakroom reload`")
        }
        guard let action = reload.withLock({ $0 }) else { throw .http(status: 503, reason: "the process is starting") }
        let person = (try? JSONValue.parse(request.body))?.object?["by"]?.string
        let report = await action(person ?? "operator")
        var json = JSONWriter(capacity: 256)
        report.write(into: &json, namesMistakes: true)
        return json.bytes
    }
}
