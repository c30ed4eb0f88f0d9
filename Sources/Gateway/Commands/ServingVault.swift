import Configuration
import EventHTTP
import EventIO
import HTTPWire
import JSON
import Vault
import VaultSQLite

/// A vault that another process serves, called through that process's admin listener.
struct ServingVault: Sendable {
    private let origin: Origin
    private let client: Client
    private let loop: EventLoop
    private let proof: MasterKeyProof

    init(_ settings: VaultSettings, at address: String) throws(StartError) {
        guard let place = ListenAddress(address) else {
            throw StartError("the vault is in use by a process without an admin listener")
        }
        origin = Origin(host: place.host, port: place.port)
        do {
            proof = try MasterKeyProof(key: settings.key(for: .operations))
            loop = try EventLoop(name: "keys")
            try loop.start()
        } catch {
            throw StartError("\(error)")
        }
        client = Client(loops: [loop])
    }

    /// Whether a process responds there.
    var isReachable: Bool {
        get async {
            let request = ClientRequest(method: .get, target: "/health/live", headers: [], body: [])
            return (try? await client.send(request, to: origin, timeouts: ClientTimeouts(exchange: .seconds(5)))) != nil
        }
    }

    func lines(_ path: String) async throws(StartError) -> [String] {
        try await call(path)["keys"]?.array?.compactMap(\.string) ?? []
    }

    /// Calls the process and returns the body of its response.
    func call(
        _ path: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) async throws(StartError) -> JSONObject {
        var json = JSONWriter()
        json.beginObject()
        json.key("by")
        json.string(Operator.name)
        write(&json)
        json.endObject()
        let body = json.bytes
        // What is asked for may take minutes; whether anything responds shows at once.
        guard await isReachable else { throw StartError("the process that serves the vault does not respond") }
        let response: ClientResponse
        do {
            let request = ClientRequest(
                method: .post, target: path,
                headers: [
                    ("Content-Type", "application/json"), ("Authorization", try proof.authorization(path, body)),
                ], body: body)
            response = try await client.send(
                request, to: origin, timeouts: ClientTimeouts(exchange: .seconds(600)))
        } catch {
            throw StartError("the process that serves the vault does not respond: \(error)")
        }
        guard let object = (try? JSONValue.parse(response.body))?.object else {
            throw StartError("the process that serves the vault returned \(response.status)")
        }
        guard response.status == 200 else {
            throw StartError(object["detail"]?.string ?? "the process that serves the vault refused")
        }
        return object
    }
}
