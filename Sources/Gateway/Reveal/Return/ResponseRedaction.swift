import Configuration
import FormSchema
import JSON
import Sensitive
import Vault

/// What of a response the caller gets as aliases.
struct ResponseRedaction: Sendable {
    struct Rule: Sendable {
        let pointer: JSONPointer
        let format: AliasFormat
        let storage: Storage
        let classifiers: [String]

        /// Nil if it is not what the configuration lets through.
        init?(_ rule: RevealRules.Redaction) {
            guard let pointer = JSONPointer(rule.pointer), let format = AliasFormat(rawValue: rule.format) else {
                return nil
            }
            self.pointer = pointer
            self.format = format
            storage = rule.storage == .volatile ? .volatile : .persistent
            classifiers = rule.classifiers
        }
    }

    /// Values of one response that are replaced; a response with more is refused. Each is a row, and an event of the audit log.
    static let limit = 10_000

    let rules: [Rule]

    /// Whether values are to be kept on disk.
    var needsStore: Bool { rules.contains { $0.storage == .persistent } }
    /// How many rules keep values in memory.
    var volatileRules: Int { rules.count { $0.storage == .volatile } }

    /// The values that the rules find, in the order of the response; nil if there are too many. Where a pointer ends at an array
    /// or an object, they are all strings and numbers in it.
    ///
    /// A number counts as the text that it is written with: a processor that echoes a card number as one gets no further.
    /// A value that does not fit the rule's format is nevertheless replaced, by an alias of format `UUID`: the exchange
    /// has happened, and its response is wanted.
    ///
    /// - Parameter values: are not stored; the others get their aliases.
    func items(_ response: JSONValue, except values: TemporaryValues) -> [VaultItem]? {
        var items: [VaultItem] = []
        collect(response, rules.map { ($0, 0) }, values, into: &items)
        return items.count <= Self.limit ? items : nil
    }

    private typealias Active = [(rule: Rule, depth: Int)]

    private func collect(
        _ json: JSONValue, _ active: Active, _ values: TemporaryValues, into items: inout [VaultItem]
    ) {
        guard !active.isEmpty, items.count <= Self.limit else { return }
        if let (rule, hit) = Self.hit(json, active) {
            var text = hit
            switch values.finding(in: json, hit) {
            case .none: break
            case .value: return
            case .part(let searched): text = searched
            }
            let format = rule.format.accepts(text) ? rule.format : .uuid
            items.append(
                .value(SensitiveText(text), format: format, classifiers: rule.classifiers, storage: rule.storage))
            return
        }
        switch json {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, Self.into(index, active), values, into: &items)
            }
        case .object(let object):
            for member in object.members { collect(member.value, Self.into(member.key, active), values, into: &items) }
        case .null, .bool, .number, .string: break
        }
    }

    /// The response with these aliases, which are those of `items(_:except:)`, in their places.
    ///
    /// - Parameter count: bytes of the response as it came.
    func written(_ response: JSONValue, aliases: [String], except values: TemporaryValues, count: Int) -> [UInt8] {
        var json = JSONWriter(capacity: count + 256)
        var rest = aliases[...]
        write(response, rules.map { ($0, 0) }, values, &rest, into: &json)
        return json.bytes
    }

    private func write(
        _ value: JSONValue, _ active: Active, _ values: TemporaryValues, _ rest: inout ArraySlice<String>,
        into json: inout JSONWriter
    ) {
        if active.isEmpty { return json.value(value) }
        if let (_, hit) = Self.hit(value, active) {
            if case .value(let alias) = values.finding(in: value, hit) { return json.string(alias) }
            return json.string(rest.popFirst() ?? "")
        }
        switch value {
        case .array(let elements):
            json.beginArray()
            for (index, element) in elements.enumerated() {
                write(element, Self.into(index, active), values, &rest, into: &json)
            }
            json.endArray()
        case .object(let object):
            json.beginObject()
            for member in object.members {
                json.key(member.key)
                write(member.value, Self.into(member.key, active), values, &rest, into: &json)
            }
            json.endObject()
        case .null, .bool, .number, .string: json.value(value)
        }
    }

    /// The rule that ends here or above, and the text that it replaces. The rule with the longest pointer goes before one that
    /// ends further above, and of equals the first.
    private static func hit(_ json: JSONValue, _ active: Active) -> (rule: Rule, text: String)? {
        var rule: Rule?
        for (candidate, depth) in active where depth == candidate.pointer.tokens.count {
            if rule.map({ $0.pointer.tokens.count < candidate.pointer.tokens.count }) ?? true { rule = candidate }
        }
        guard let rule else { return nil }
        switch json {
        case .string(let text) where !text.isEmpty: return (rule, text)
        case .number(let number): return (rule, number.text)
        default: return nil
        }
    }

    private static func into(_ index: Int, _ active: Active) -> Active {
        step(active) { $0.selects(element: index, at: $1) }
    }

    private static func into(_ key: String, _ active: Active) -> Active {
        step(active) { $0.names(member: key, at: $1) }
    }

    /// A rule that has ended goes on to everything inside.
    private static func step(_ active: Active, _ matches: (JSONPointer, Int) -> Bool) -> Active {
        var inside: Active = []
        for (rule, depth) in active {
            if depth == rule.pointer.tokens.count {
                inside.append((rule, depth))
            } else if matches(rule.pointer, depth) {
                inside.append((rule, depth + 1))
            }
        }
        return inside
    }
}
