import JSON
import Vault

/// `POST /keys/…` and `/vault/…` on the admin listener: how `cloakroom keys`, `compact` and `backup` work on a vault that is served.
struct MaintenanceCalls: Sendable {
    /// What can be asked for, by its path.
    enum Operation: String {
        case status = "/keys/status"
        case rotation = "/keys/rotate"
        case rewrapping = "/keys/rewrap"
        case masterKey = "/keys/master"
        case compaction = "/vault/compact"
        case backup = "/vault/backup"

        /// The command that asks for it.
        var command: String {
            switch self {
            case .status, .rotation, .rewrapping, .masterKey: "cloakroom keys"
            case .compaction: "cloakroom compact"
            case .backup: "cloakroom backup"
            }
        }
    }

    private let opened: OpenVault

    init(_ opened: OpenVault) { self.opened = opened }

    /// Returns the response's body. The caller has proved that it has the master key.
    func respond(to requestBody: [UInt8], _ operation: Operation) async throws(CallError) -> [UInt8] {
        let body: JSONObject?
        do { body = try JSONValue.parse(requestBody).object } catch { throw .malformed("the body is not JSON") }
        guard let body else { throw .malformed("the body must be a JSON object") }
        do throws(VaultError) {
            return try await carryOut(operation, body)
        } catch .unusableMasterKey(let reason) {
            throw .malformed(reason)
        } catch {
            throw .http(status: 503, reason: "\(error)")
        }
    }

    /// A whole number in a body.
    static func number(_ value: JSONValue) -> Int64? {
        guard case .number(let number) = value else { return nil }
        return number.int.map(Int64.init)
    }

    private static func isTrue(_ value: JSONValue?) -> Bool {
        if case .bool(true)? = value { true } else { false }
    }

    private func carryOut(_ operation: Operation, _ body: JSONObject) async throws(VaultError) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        let person = body["by"]?.string ?? "operator"
        switch operation {
        case .rewrapping:
            let next = try await opened.rewrap(after: body["after"].flatMap(Self.number) ?? 0, by: person)
            json.key("after")
            if let next {
                json.number(Int(next))
                json.key("last")
                json.number(Int(try await opened.vault.lastValueID()))
            } else {
                json.null()
                let remainder = try await opened.vault.rewrapRemainder()
                json.key("remains")
                json.strings(remainder.lines)
            }
        case .compaction:
            let step = try await opened.compact(
                after: body["after"].flatMap(Self.number).map { Int($0) } ?? 0, by: person)
            json.key("returned")
            json.number(step.returned)
            json.key("left")
            json.number(step.left)
        case .backup: try await opened.recordBackup(isDone: Self.isTrue(body["done"]), by: person)
        case .masterKey:
            guard let file = body["file"]?.string else { throw .unusableMasterKey("the body names no file") }
            json.key("isBeingChanged")
            json.bool(try await opened.changeMasterKey(file: file, by: person))
        case .rotation:
            try await opened.rotateKey(fingerprints: Self.isTrue(body["fingerprints"]), by: person)
        case .status: break
        }
        json.key("keys")
        json.strings(try await opened.keyLines())
        json.endObject()
        return json.bytes
    }
}
