import Configuration
import Crypto
import FormSchema
import HTTPWire
import JSON
import Vault

/// What makes two requests with an idempotency key the same request (`docs/reference/proxy.md` section 8).
///
/// The key of a credential or session is for one request: another request under it is refused. Strangers have no name, so
/// their entry is found by key and request together: another request under the same key is another entry, and one stranger can neither
/// get the response of another's request nor block its key.
struct RequestIdentity {
    /// Finds the entry: owner and key; without an owner the request and the key. 32 bytes.
    let name: [UInt8]
    /// Digest of the whole request, under a key of this process; only kept in memory.
    let whole: [UInt8]
    /// Digest of the request without the fields whose text must never reach a disk, not even as a digest. The idempotency key, which is
    /// not stored, is part of it: the vault's keys alone do not suffice to try values.
    let durable: [UInt8]
    /// The same as versions up to 2026-11 made them, where they are others: a key of before an upgrade finds its entry as long as it lives.
    let earlier: (name: [UInt8], durable: [UInt8])?

    /// What of a request is passed on, apart from its body.
    struct Forwarded {
        let path: String
        /// Names of headers, in lower case.
        let headers: [String]
        var routeID = ""
    }
}

extension RequestIdentity {
    /// - Parameters:
    ///   - body: of the call.
    ///   - owner: name of the caller's credential or session; nil if it has none.
    init(
        _ call: Call, _ body: JSONText, key: String, of schema: FormSchema, by owner: String?,
        forwarding forwarded: Forwarded, _ digests: RequestDigests
    ) throws(CallError) {
        let (sent, sentEarlier) = (Self.sent(call, forwarded), Self.sentEarlier(call, forwarded))
        do {
            whole = try digests.process.code(for: Self.joined(sent, Self.text(body, without: [])))
            let text = Self.text(body, without: schema.fleetingFields)
            (name, durable) = try Self.stored(sent, text, key, owner, digests.durable)
            earlier = sent == sentEarlier ? nil : try Self.stored(sentEarlier, text, key, owner, digests.durable)
        } catch { throw .internalError }
    }

    /// Name and digest of the entry.
    private static func stored(
        _ sent: [String], _ text: [UInt8], _ key: String, _ owner: String?, _ durable: HMACSHA256
    ) throws(CryptoError) -> (name: [UInt8], durable: [UInt8]) {
        let digest = try durable.code(for: joined(["body", key] + sent, text))
        if let owner { return (try durable.code(for: joined(["name", "known", owner, key], [])), digest) }
        return (try durable.code(for: joined(["public", key], digest)), digest)
    }

    /// Method, path, the route id and the headers that are sent, each with the number of its values before them. By their names: a
    /// configuration that lists other names, or in another order, makes no other request of one that has none of these.
    private static func sent(_ call: Call, _ forwarded: Forwarded) -> [String] {
        var parts = [call.head.method.name, forwarded.path, forwarded.routeID]
        for name in Set(forwarded.headers).sorted() {
            let values = values(name, call)
            if values.isEmpty { continue }
            append(name, values, to: &parts)
        }
        return parts
    }

    private static func append(_ name: String, _ values: [String?], to parts: inout [String]) {
        parts.append(name)
        parts.append("\(values.count)")
        // The call is refused if a value to be forwarded is not UTF-8.
        for value in values { parts.append(value ?? "") }
    }

    /// The path and the route id as they came, and all headers that could be sent, in the order of the configuration.
    private static func sentEarlier(_ call: Call, _ forwarded: Forwarded) -> [String] {
        var parts = [call.head.method.name, call.path, call.head["VGS-Route-Id"] ?? ""]
        for name in forwarded.headers { append(name, values(name, call), to: &parts) }
        return parts
    }

    private static func values(_ name: String, _ call: Call) -> [String?] {
        // A header that the request's `Connection` names goes no further; a vault's `Authorization` is not passed on but used.
        let isSent = name == "authorization" || !call.head.headers.isConnectionSpecific(name)
        return isSent ? call.head.headers.texts(name) : []
    }

    /// Each part with its length before it, so that different lists of parts never give the same bytes.
    private static func joined(_ parts: [String], _ last: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes.append(contentsOf: "\(part.utf8.count):".utf8)
            bytes.append(contentsOf: part.utf8)
        }
        return bytes + last
    }

    /// The body without white space, and without these members of `fields`.
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

/// The keys of the digests of requests.
struct RequestDigests: Sendable {
    let durable: HMACSHA256
    /// Of this process alone.
    let process: HMACSHA256

    init(_ vault: Vault) throws(VaultError) {
        let key = vault.key(for: .responses)
        do throws(CryptoError) {
            durable = try HMACSHA256(key: key)
            process = try HMACSHA256(key: SystemRandomNumberGenerator.bytes(32))
        } catch { throw VaultError(error) }
    }
}
