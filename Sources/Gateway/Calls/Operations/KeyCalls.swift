import EventHTTP
import HTTPWire
import JSON
import Vault

/// `POST /keys/…` on the admin listener: how `cloakroom keys` works on a vault that is served. The caller must prove that it has the
/// master key, because every process of the machine, browsers included, can reach a loopback listener.
struct KeyCalls: Sendable {
    static let status = "/keys/status"
    static let rotation = "/keys/rotate"
    static let rewrapping = "/keys/rewrap"
    static let masterKey = "/keys/master"
    static let paths: Set<String> = [status, rotation, rewrapping, masterKey]

    private let opened: OpenVault
    private let seal: OperationsSeal

    init(_ opened: OpenVault) throws(VaultError) {
        self.opened = opened
        let key = opened.vault.key(for: .operations)
        do { seal = try OperationsSeal(key: key) } catch { throw VaultError(error) }
    }

    /// Returns the response's body.
    func respond(to request: ServerRequest) async throws(CallError) -> [UInt8] {
        let path = request.head.path
        guard request.head.method == .post else { throw .methodNotAllowed(allowed: "POST") }
        guard seal.isValid(request.head[.authorization], path, request.body) else {
            throw .forbidden("only the holder of the master key may do this: use `cloakroom keys`")
        }
        let body: JSONObject?
        do { body = try JSONValue.parse(request.body).object } catch { throw .malformed("the body is not JSON") }
        guard let body else { throw .malformed("the body must be a JSON object") }
        do throws(VaultError) {
            return try await carryOut(path, body)
        } catch .unusableMasterKey(let reason) {
            throw .malformed(reason)
        } catch {
            throw .wire(status: 503, reason: "\(error)")
        }
    }

    /// The id of a value in a body.
    static func number(_ value: JSONValue) -> Int64? {
        guard case .number(let number) = value else { return nil }
        return number.int.map(Int64.init)
    }

    private func carryOut(_ path: String, _ body: JSONObject) async throws(VaultError) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        switch path {
        case Self.rewrapping:
            let next = try await opened.rewrap(after: body["after"].flatMap(Self.number) ?? 0)
            json.key("after")
            if let next { json.number(Int(next)) } else { json.null() }
        case Self.masterKey:
            guard let file = body["file"]?.string else { throw .unusableMasterKey("the body names no file") }
            try await opened.changeMasterKey(file: file)
        case Self.rotation: try await opened.rotateKey()
        default: break
        }
        json.key("keys")
        json.strings(try await opened.keyLines())
        json.endObject()
        return json.bytes
    }
}
