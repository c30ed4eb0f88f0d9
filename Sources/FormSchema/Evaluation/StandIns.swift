internal import JSON
internal import Sensitive

/// Stand-ins for the texts of a body that are meant to be in it, while it is searched for card numbers that are not: the same number may
/// stand where it is not meant. They are letters that no caller can know.
package struct StandIns: Sendable {
    private static let length = 32

    private var texts: [(standIn: [UInt8], text: SensitiveText)] = []

    /// None yet.
    package init() {}

    /// What is written instead of the text, which is kept; an empty one stays.
    mutating func standIn(for text: String) -> String {
        if text.isEmpty { return text }
        let letters = (0..<Self.length).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z")) }
        texts.append((letters, SensitiveText(text)))
        return String(decoding: letters, as: UTF8.self)
    }

    /// The JSON with the texts in their places.
    package func restored(in body: [UInt8]) -> [UInt8] {
        var body = body
        for (standIn, text) in texts {
            guard let start = body.indices.first(where: { body[$0...].starts(with: standIn) }) else { continue }
            var writer = JSONWriter(capacity: text.exposed.utf8.count + 16)
            writer.string(text.exposed)
            body.replaceSubrange(start..<(start + standIn.count), with: writer.bytes.dropFirst().dropLast())
        }
        return body
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
