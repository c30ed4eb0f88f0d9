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
        /// Decoded; nil if it is no candidate: no `=`, a broken escape, or another name than those asked for.
        let value: String?
    }

    private let parts: [Part]

    /// - Parameter names: the names whose values may be replaced; nil for all.
    init(_ text: String, names: [String]? = nil) {
        parts = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { Self.part(Substring($0), names) }
    }

    private static func part(_ raw: Substring, _ names: [String]?) -> Part {
        guard let mark = raw.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return Part(raw: raw, head: raw, value: nil)
        }
        let head = raw[...mark]
        if let names {
            guard let name = try? PercentEncoding.decode(raw[..<mark], plus: .isSpace),
                names.contains(where: { $0.hasSameBytes(as: name) })
            else { return Part(raw: raw, head: head, value: nil) }
        }
        let value = try? PercentEncoding.decode(raw[raw.utf8.index(after: mark)...], plus: .isSpace)
        return Part(raw: raw, head: head, value: value)
    }

    func collect(into candidates: inout AliasCandidates) throws(CallError) {
        for part in parts { if let value = part.value { try candidates.add(value) } }
    }

    /// The text with values in the place of aliases.
    func text(_ values: RevealedValues) -> String {
        var text = ""
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
