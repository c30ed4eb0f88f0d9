import Configuration
import EventHTTP
import HTTPWire
import JSON

/// A caller's body as far as aliases are looked for in it (docs/reference/proxy.md section 7).
enum RevealBody {
    /// Passed through as it is.
    case unread([UInt8])
    /// With the bytes that it was read from, for the case that there is nothing to replace.
    case json(JSONValue, [UInt8])
    case form(PairText, [UInt8])

    init(_ call: Call, _ rule: RevealRules.Body) throws(CallError) {
        let bytes = call.request.body
        guard rule != .no, !bytes.isEmpty else {
            self = .unread(bytes)
            return
        }
        let type = call.head[.contentType].flatMap(MediaType.readable)
        guard let type, !call.head.headers.hasContentCoding else {
            // A compressed body that says it is JSON would go out with its aliases: that is never what was meant.
            guard rule == .yes, type == nil else { throw .unreadableMediaType }
            self = .unread(bytes)
            return
        }
        switch type {
        case .json:
            do { self = .json(try JSONValue.parse(bytes), bytes) } catch {
                throw .malformed("the body is not JSON: \(error)")
            }
        case .form:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("the body is not UTF-8")
            }
            self = .form(PairText(text), bytes)
        }
    }

    /// Whether it goes out as it came, whatever it is, and not empty.
    var isUnread: Bool { if case .unread(let bytes) = self { !bytes.isEmpty } else { false } }

    func collect(into candidates: inout AliasCandidates) throws(CallError) {
        switch self {
        case .unread: break
        case .json(let json, _): try Self.collect(json, into: &candidates)
        case .form(let pairs, _): try pairs.collect(into: &candidates)
        }
    }

    /// Every string; names of members are left alone.
    private static func collect(_ json: JSONValue, into candidates: inout AliasCandidates) throws(CallError) {
        switch json {
        case .string(let text): try candidates.add(text)
        case .array(let elements): for element in elements { try collect(element, into: &candidates) }
        case .object(let object): for member in object.members { try collect(member.value, into: &candidates) }
        case .null, .bool, .number: break
        }
    }

    /// The body with values in the place of aliases.
    func bytes(_ values: RevealedValues) -> [UInt8] {
        switch self {
        case .unread(let bytes): return bytes
        case .json(_, let bytes) where values.isEmpty: return bytes
        case .form(_, let bytes) where values.isEmpty: return bytes
        case .json(let json, let bytes):
            var writer = JSONWriter(capacity: bytes.count + 256)
            Self.write(json, values, into: &writer)
            return writer.bytes
        case .form(let pairs, _): return Array(pairs.text(values).utf8)
        }
    }

    private static func write(_ json: JSONValue, _ values: RevealedValues, into writer: inout JSONWriter) {
        switch json {
        case .string(let text): writer.string(values[text] ?? text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, values, into: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                write(member.value, values, into: &writer)
            }
            writer.endObject()
        case .null, .bool, .number: writer.value(json)
        }
    }
}
