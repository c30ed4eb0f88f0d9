internal import JSON

/// What a pattern, a mask or neither makes of a submitted text (`docs/reference/fields.md` section 3).
struct ShapingResult {
    /// The text in its pattern or mask.
    var shaped = ShapedText(plain: "")
    var raw = ""
    /// Whether every slot is filled.
    var isMaskSatisfied = true
    /// Whether a letter or number of the submitted text is in none of the slots.
    var droppedInput = false
    /// Whether a slot's pattern reached its limit or, on a client, is not known.
    var exhaustedPattern = false

    var formatted: String { shaped.text }

    /// Stores text that has no pattern.
    mutating func takeUnshaped(_ text: String) {
        shaped = ShapedText(plain: text)
        raw = text
    }
}

/// The character at each position of a shaped text, and which positions are slots. Literals may be shown, and at most the last
/// four slots (`docs/reference/fields.md` section 10; PCI DSS 4.0, requirement 3.4.1, allows BIN and last four).
struct ShapedText {
    private enum Content {
        case filled(FilledPattern)
        /// The characters at the first positions of a pattern or mask, and which of these are slots.
        case characters([Character], isSlot: [Bool])
        /// No pattern, and so no literals.
        case plain(String)
    }

    private let content: Content

    /// Text without a pattern.
    init(plain text: String) { content = .plain(text) }

    init(_ filled: FilledPattern) { content = .filled(filled) }

    /// - Parameter emitted: the characters at the first positions.
    init(_ emitted: [Character], isSlot: [Bool]) { content = .characters(emitted, isSlot: isSlot) }

    /// The formatted text.
    var text: String {
        switch content {
        case .filled(let filled): filled.text
        case .characters(let characters, _): String(characters)
        case .plain(let text): text
        }
    }

    /// The text with `divider` in place of each literal; with an empty divider, the letters and digits alone.
    func text(withDivider divider: String) -> String {
        switch content {
        case .filled(let filled): filled.text(withDivider: divider)
        case .characters(let characters, let isSlot): Self.text(characters, isSlot, withDivider: divider)
        case .plain(let text): text
        }
    }

    private static func text(_ emitted: [Character], _ isSlot: [Bool], withDivider divider: String) -> String {
        if divider.isEmpty { return String(emitted.filter { $0.isAlphanumeric }) }
        var text = ""
        for index in emitted.indices {
            if isSlot[index] { text.append(emitted[index]) } else { text += divider }
        }
        return text
    }

    /// Writes the text as a string with a bullet for every character that may not be shown. Slots stay hidden unless the last
    /// four of them hold exactly `last4`: nothing is shown here that the state's `last4` does not show.
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

    /// The position of the first of the last four slots if these hold `last4`; otherwise the end.
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
    /// Appends `count` times U+2022 to the string that is being written.
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
