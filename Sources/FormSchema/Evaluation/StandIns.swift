internal import JSON
internal import Sensitive

/// Stand-ins for the texts of a body that are meant to be in it, while it is searched for card numbers that are not: the same number may
/// stand where it is not meant. They are letters that no caller can know.
package struct StandIns: Sendable {
    /// What all of them begin with.
    private let mark: [UInt8]
    private var texts: [SensitiveText] = []
    /// Letters behind the mark, by which a stand-in is told from others.
    private static let indexLength = 8

    /// None yet.
    package init() {
        mark = Self.letters(.random(in: 0 ... .max)) + Self.letters(.random(in: 0 ... .max))
    }

    /// What is written instead of the text, which is kept; an empty one stays.
    mutating func standIn(for text: String) -> String {
        if text.isEmpty { return text }
        let index = Self.letters(UInt64(texts.count)).suffix(Self.indexLength)
        texts.append(SensitiveText(text))
        return String(decoding: mark + index, as: UTF8.self)
    }

    /// The JSON with the texts in their places.
    package func restored(in body: [UInt8]) -> [UInt8] {
        if texts.isEmpty { return body }
        var restored: [UInt8] = []
        restored.reserveCapacity(body.count)
        var rest = body[...]
        while let start = nextMark(in: rest) {
            restored += rest[..<start]
            rest = rest[start...].dropFirst(mark.count)
            let index = rest.prefix(Self.indexLength).reduce(0) { $0 << 4 | Int($1 &- UInt8(ascii: "a")) }
            rest = rest.dropFirst(Self.indexLength)
            guard texts.indices.contains(index) else { continue }
            var writer = JSONWriter(capacity: 64)
            writer.string(texts[index].exposed)
            restored += writer.bytes.dropFirst().dropLast()
        }
        return restored + rest
    }

    private func nextMark(in bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = mark.first else { return nil }
        return bytes.indices.first { bytes[$0] == first && bytes[$0...].starts(with: mark) }
    }

    /// The number in letters, four bits each.
    private static func letters(_ number: UInt64) -> [UInt8] {
        (0..<16).reversed().map { UInt8(ascii: "a") + UInt8(number >> (4 * UInt64($0)) & 15) }
    }
}

extension Evaluation {
    /// ``rawBody`` with stand-ins for what card fields send.
    package func rawBody(_ standIns: inout StandIns) -> [UInt8] {
        body(to: .vgs) { .text(text(of: $0, &standIns, to: .vgs)) }
    }

    /// The text as it is shown to a search for card numbers: those that are meant to be in a body are what card fields send to a vault
    /// proxy, and what goes to an upstream as an alias.
    func text(of outgoing: OutgoingEntry, _ standIns: inout StandIns, to destination: Destination) -> String {
        let isMeant =
            switch destination {
            case .vgs: form.fields[outgoing.field].type == .cardNumber
            case .upstream: outgoing.aliasIndex != nil
            case .client: false
            }
        return isMeant ? standIns.standIn(for: text(of: outgoing)) : text(of: outgoing)
    }
}
