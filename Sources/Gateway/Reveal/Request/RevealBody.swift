import Configuration
import EventHTTP
import HTTPWire
import JSON

/// A caller's body as far as aliases are looked for in it (docs/reference/proxy.md section 7).
enum RevealBody {
    /// Passed through as it is.
    case unread([UInt8])
    /// With the bytes that it was read from, which are sent if there is nothing to replace.
    case json(JSONValue, [UInt8], BodyPlaces)
    case form(PairText, [UInt8])

    init(_ call: Call, _ places: BodyPlaces) throws(CallError) {
        let bytes = call.request.body
        guard !places.isEmpty, !bytes.isEmpty else {
            self = .unread(bytes)
            return
        }
        let type = call.head[.contentType].flatMap(MediaType.readable)
        guard let type, !call.head.headers.hasContentCoding else {
            // A compressed body that says it is JSON would be sent with its aliases, which the upstream cannot use.
            guard !places.mustBeReadable, type == nil else { throw .unreadableMediaType }
            self = .unread(bytes)
            return
        }
        switch type {
        case .json:
            do { self = .json(try JSONValue.parse(bytes), bytes, places) } catch {
                throw .malformed("the body is not JSON: \(error)")
            }
        case .form:
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("the body is not UTF-8")
            }
            self = .form(PairText(text, lookup: places.lookup(atName:)), bytes)
        }
    }

    /// Whether it goes out as it came, whatever it is, and not empty.
    var isUnread: Bool { if case .unread(let bytes) = self { !bytes.isEmpty } else { false } }

    func collect(into candidates: inout AliasCandidates) throws(CallError) {
        switch self {
        case .unread: break
        case .json(let json, _, let places): try Self.collect(json, places, places.root, into: &candidates)
        case .form(let pairs, _): try pairs.collect(into: &candidates)
        }
    }

    /// Texts; names of members are left alone.
    private static func collect(
        _ json: JSONValue, _ places: BodyPlaces, _ active: BodyPlaces.Active, into candidates: inout AliasCandidates
    ) throws(CallError) {
        switch json {
        case .string(let text): if places.lookup(at: active).covers(text) { try candidates.add(text) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try collect(element, places, places.into(index, active), into: &candidates)
            }
        case .object(let object):
            for member in object.members {
                try collect(member.value, places, places.into(member.key, active), into: &candidates)
            }
        case .null, .bool, .number: break
        }
    }

    /// The first of these pointers at which no alias of this vault stands; nil if one stands at each.
    func missingAlias(at required: [JSONPointer], _ values: RevealedValues) -> JSONPointer? {
        required.first { pointer in
            switch self {
            case .unread: return true
            case .json(let json, _, _):
                return !pointer.selects(only: { $0.string.map { values[$0] != nil } ?? false }, in: json)
            case .form(let pairs, _): return !pairs.hasAliases(at: pointer, values)
            }
        }
    }

    /// The body with values in the place of aliases.
    func bytes(_ values: RevealedValues) -> [UInt8] {
        switch self {
        case .unread(let bytes): return bytes
        case .json(_, let bytes, _) where values.isEmpty: return bytes
        case .form(_, let bytes) where values.isEmpty: return bytes
        case .json(let json, let bytes, let places):
            var writer = JSONWriter(capacity: bytes.count + 256)
            Self.write(json, values, places, places.root, into: &writer)
            return writer.bytes
        case .form(let pairs, _): return Array(pairs.text(values).utf8)
        }
    }

    private static func write(
        _ json: JSONValue, _ values: RevealedValues, _ places: BodyPlaces, _ active: BodyPlaces.Active,
        into writer: inout JSONWriter
    ) {
        switch json {
        case .string(let text):
            // A text that is an alias at another place is none here.
            writer.string(places.lookup(at: active).covers(text) ? values[text] ?? text : text)
        case .array(let elements):
            writer.beginArray()
            for (index, element) in elements.enumerated() {
                write(element, values, places, places.into(index, active), into: &writer)
            }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                write(member.value, values, places, places.into(member.key, active), into: &writer)
            }
            writer.endObject()
        case .null, .bool, .number: writer.value(json)
        }
    }
}
