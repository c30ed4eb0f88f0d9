import Crypto
import FormSchema
import HTTPWire
import JSON
import Vault

/// What makes a request the same as another one.
struct RepeatableRequest {
    /// Who asks for what under which key: caller, method, path and key.
    let name: [UInt8]
    /// Of the whole body. Made under a key of this process, and in its memory alone.
    let whole: [UInt8]
    /// Of the body without the fields whose text must never reach a disk in any form. It is made with the caller's own key
    /// too, which is kept nowhere: whoever has the vault's keys still cannot try values.
    let durable: [UInt8]

    init(
        _ call: Call, _ key: String, of schema: FormSchema, by credential: Credential?, _ digests: RequestDigests
    ) throws(Failure) {
        let json: JSONText
        do { json = try call.json() } catch { throw .fault(error) }
        let caller = credential?.name ?? call.head[.authorization] ?? ""
        let routeID = call.head["VGS-Route-Id"] ?? ""
        let kept = [credential == nil ? "open" : "known", caller, call.head.method.name, call.path, key]
        do {
            name = try digests.durable.code(for: Self.joined(["name"] + kept, []))
            whole = try digests.passing.code(for: Self.joined([routeID], Self.text(json, without: [])))
            durable = try digests.durable.code(
                for: Self.joined(["body", key, routeID], Self.text(json, without: schema.fleetingFields)))
        } catch { throw .fault(.internalError) }
    }

    /// Each part with its length before it, so that no two lists of parts look alike.
    private static func joined(_ parts: [String], _ last: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes.append(contentsOf: "\(part.utf8.count):".utf8)
            bytes.append(contentsOf: part.utf8)
        }
        return bytes + last
    }

    /// The body without blanks, and without these members of `fields`.
    private static func text(_ json: JSONText, without names: Set<String>) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        guard json.kind(at: json.root) == .object, !names.isEmpty else {
            writer.value(of: json, at: json.root)
            return writer.bytes
        }
        writer.beginObject()
        for member in json.members(of: json.root) {
            writer.key(of: json, at: member.key)
            guard json.holds("fields", at: member.key), json.kind(at: member.value) == .object else {
                writer.value(of: json, at: member.value)
                continue
            }
            writer.beginObject()
            for field in json.members(of: member.value) where !names.contains(json.string(at: field.key) ?? "") {
                writer.key(of: json, at: field.key)
                writer.value(of: json, at: field.value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}

/// The keys that requests are told apart by.
struct RequestDigests: Sendable {
    let durable: HMACSHA256
    /// Of this process.
    let passing: HMACSHA256

    init(_ vault: Vault) throws(VaultError) {
        let key = vault.key(for: .responses)
        var generator = SystemRandomNumberGenerator()
        do throws(CryptoError) {
            durable = try HMACSHA256(key: key)
            passing = try HMACSHA256(key: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        } catch { throw VaultError(error) }
    }
}
