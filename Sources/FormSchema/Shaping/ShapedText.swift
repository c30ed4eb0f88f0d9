internal import JSON

/// A text as a pattern, a mask or nothing shaped it: what stands at each position, and which positions are slots. The
/// formatted text is all of it; what may be shown are the literals and at most the last four slots (`fields.md` section 10;
/// PCI DSS 4.0, requirement 3.4.1, allows BIN and last four).
struct ShapedText {
    private enum Content {
        case filled(FilledPattern)
        /// What stands at the positions of a pattern or mask from the first on, and which of these are slots.
        case characters([Character], isSlot: [Bool])
        /// No pattern: none of it is a literal.
        case plain(String)
    }

    private let content: Content

    /// Text that no pattern touches.
    init(plain text: String) { content = .plain(text) }

    init(_ filled: FilledPattern) { content = .filled(filled) }

    /// - Parameter emitted: what stands at the positions from the first on.
    init(_ emitted: [Character], isSlot: [Bool]) { content = .characters(emitted, isSlot: isSlot) }

    /// The formatted text.
    var text: String {
        switch content {
        case .filled(let filled): filled.text
        case .characters(let characters, _): String(characters)
        case .plain(let text): text
        }
    }

    /// The text with `divider` in the place of each literal; without a divider all that is no letter and no digit is left out.
    func text(withDivider divider: String) -> String {
        switch content {
        case .filled(let filled): filled.text(withDivider: divider)
        case .characters(let characters, let isSlot): Self.text(characters, isSlot, withDivider: divider)
        case .plain(let text): text
        }
    }

    private static func text(_ emitted: [Character], _ isSlot: [Bool], withDivider divider: String) -> String {
        if divider.isEmpty { return String(emitted.filter(\.isAlphanumeric)) }
        var text = ""
        for index in emitted.indices {
            if isSlot[index] { text.append(emitted[index]) } else { text += divider }
        }
        return text
    }

    /// Writes the text as a string with a bullet for every character that may not be shown. Slots stay hidden unless the last
    /// four of them hold exactly `last4`, so that nothing is ever shown here that the state's `last4` does not show.
    func writeRedacted(last4: String, into writer: inout JSONWriter) {
        writer.beginString()
        switch content {
        case .filled(let filled): filled.writeRedacted(last4: last4, into: &writer)
        case .characters(let emitted, let isSlot): Self.write(emitted, isSlot, last4: last4, into: &writer)
        case .plain(let text): writer.bullets(text.characterCount)
        }
        writer.endString()
    }

    private static func write(
        _ emitted: [Character], _ isSlot: [Bool], last4: String, into writer: inout JSONWriter
    ) {
        let shownFrom = last4.isEmpty ? emitted.count : firstOfLastFour(in: emitted, isSlot, equalTo: last4)
        for position in emitted.indices {
            if position < shownFrom, isSlot[position] {
                writer.bullets(1)
            } else {
                for byte in emitted[position].utf8 { writer.text(byte) }
            }
        }
    }

    /// The position of the first of the last four slots, if these hold `last4`; else a position behind all.
    private static func firstOfLastFour(in emitted: [Character], _ isSlot: [Bool], equalTo last4: String) -> Int {
        var first = emitted.count
        var slots = 0
        while slots < 4, first > 0 {
            first -= 1
            if isSlot[first] { slots += 1 }
        }
        let held = (first..<emitted.count).filter { isSlot[$0] }.map { String(emitted[$0]) }.joined()
        return held.hasSameBytes(as: last4) ? first : emitted.count
    }
}

extension JSONWriter {
    /// As many U+2022 in the string that is being written as `count`, many at once.
    mutating func bullets(_ count: Int) {
        let bullets = manyBullets.span
        var rest = count
        while rest > 0 {
            let written = min(rest, 32)
            raw(bullets.extracting(first: 3 * written))
            rest -= written
        }
    }
}

private let manyBullets = Array(String(repeating: "•", count: 32).utf8)
