import Configuration
import HTTPWire
import JSON

/// A query or a form-encoded body, `a=b&c=d`, whose values are replaced one by one while everything else stays byte for
/// byte as it was written.
struct PairText {
    private struct Part {
        /// As written.
        let raw: Substring
        /// Up to the `=` and with it.
        let head: Substring
        /// Decoded; nil if it is not looked up: no `=`, a broken escape, or no place for an alias.
        let value: String?
        /// Decoded; nil if there is no `=`, or a broken escape.
        let name: String?
    }

    private let parts: [Part]

    /// - Parameter lookup: what is looked up of the values of a name.
    init(_ text: String, lookup: (_ name: String) -> BodyPlaces.Lookup) {
        parts = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { Self.part(Substring($0), lookup) }
    }

    private static func part(_ raw: Substring, _ lookup: (String) -> BodyPlaces.Lookup) -> Part {
        guard let mark = raw.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return Part(raw: raw, head: raw, value: nil, name: nil)
        }
        let head = raw[...mark]
        let name = try? PercentEncoding.decode(raw[..<mark], plus: .isSpace)
        let value = try? PercentEncoding.decode(raw[raw.utf8.index(after: mark)...], plus: .isSpace)
        // The value of a name that can't be decoded is at no place that a pointer names.
        guard let value, lookup(name ?? "").covers(value) else {
            return Part(raw: raw, head: head, value: nil, name: name)
        }
        return Part(raw: raw, head: head, value: value, name: name)
    }

    /// Whether there is a value that `pointer` names, and every one that it names is an alias.
    func hasAliases(at pointer: JSONPointer, _ values: RevealedValues) -> Bool {
        let named = parts.filter { part in part.name.map { pointer.selects(name: $0) } ?? false }
        return !named.isEmpty && named.allSatisfy { part in part.value.map { values[$0] != nil } ?? false }
    }

    func collect(into candidates: inout AliasCandidates) throws(CallError) {
        for part in parts { if let value = part.value { try candidates.add(value) } }
    }

    /// The text with values in the place of aliases. In memory of its own, which is wiped: up to 15 bytes would be kept in the string
    /// itself, and copies of it stay in what the task has used of its stack.
    func text(_ values: RevealedValues) -> String {
        var text = ""
        text.reserveCapacity(64)
        for (index, part) in parts.enumerated() {
            if index > 0 { text += "&" }
            if let value = part.value.flatMap({ values[$0] }) {
                text += part.head
                text += PercentEncoding.encode(value, for: .queryComponent)
            } else {
                text += part.raw
            }
        }
        return text
    }
}
