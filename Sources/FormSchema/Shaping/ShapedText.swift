internal import JSON

/// A text as a pattern, a mask or nothing shaped it: what stands at each position, and which positions are slots. The
/// formatted text is all of it; what may be shown are the literals and at most the last four slots (`fields.md` section 10;
/// PCI DSS 4.0, requirement 3.4.1, allows BIN and last four).
struct ShapedText {
    private enum Units {
        case bytes([UInt8])
        case characters([Character])
        /// No pattern: none of it is a literal.
        case plain(String)
    }

    private let units: Units
    /// Which positions of the pattern or mask are slots.
    private let isSlot: [Bool]

    /// Text that no pattern touches.
    init(plain text: String) {
        units = .plain(text)
        isSlot = []
    }

    /// - Parameter emitted: what stands at the positions from the first on.
    init<Unit: TextUnit>(_ emitted: [Unit], isSlot: [Bool]) {
        if let bytes = emitted as? [UInt8] {
            units = .bytes(bytes)
        } else {
            units = .characters(emitted as? [Character] ?? [])
        }
        self.isSlot = isSlot
    }

    /// The formatted text.
    var text: String {
        switch units {
        case .bytes(let bytes): UInt8.joined(bytes)
        case .characters(let characters): Character.joined(characters)
        case .plain(let text): text
        }
    }

    /// Writes the text as a string with a bullet for every character that may not be shown. Slots stay hidden unless the last
    /// four of them hold exactly `last4`, so that nothing is ever shown here that the state's `last4` does not show.
    func writeRedacted(last4: String, into writer: inout JSONWriter) {
        writer.beginString()
        switch units {
        case .bytes(let bytes): write(bytes, last4: last4, into: &writer)
        case .characters(let characters): write(characters, last4: last4, into: &writer)
        case .plain(let text): Self.writeBullets(text.characterCount, into: &writer)
        }
        writer.endString()
    }

    private func write<Unit: TextUnit>(_ emitted: [Unit], last4: String, into writer: inout JSONWriter) {
        let shownFrom = last4.isEmpty ? emitted.count : firstOfLastFour(in: emitted, equalTo: last4)
        var hidden = 0
        for position in emitted.indices {
            if position < shownFrom, isSlot[position] {
                hidden += 1
            } else {
                Self.writeBullets(hidden, into: &writer)
                hidden = 0
                emitted[position].write(into: &writer)
            }
        }
        Self.writeBullets(hidden, into: &writer)
    }

    /// The position of the first of the last four slots, if these hold `last4`; else a position behind all.
    private func firstOfLastFour<Unit: TextUnit>(in emitted: [Unit], equalTo last4: String) -> Int {
        var first = emitted.count
        var slots = 0
        while slots < 4, first > 0 {
            first -= 1
            if isSlot[first] { slots += 1 }
        }
        var held: [UInt8] = []
        for position in first..<emitted.count where isSlot[position] { emitted[position].append(to: &held) }
        return held.elementsEqual(last4.utf8) ? first : emitted.count
    }

    /// As many U+2022 as `count`, many at once.
    private static func writeBullets(_ count: Int, into writer: inout JSONWriter) {
        let bullets = bullets.span
        var rest = count
        while rest > 0 {
            let written = min(rest, 32)
            writer.raw(bullets.extracting(first: 3 * written))
            rest -= written
        }
    }

    private static let bullets = Array(String(repeating: "•", count: 32).utf8)
}
