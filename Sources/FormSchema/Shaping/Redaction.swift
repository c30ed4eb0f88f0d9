/// A formatted text of which only literals may be shown, and at most the last four characters that fill slots
/// (`fields.md` section 10; PCI DSS 4.0, requirement 3.4.1, allows BIN and last four).
struct Redaction {
    /// What stands at each position of the pattern or mask, from the first on.
    private enum Units {
        case bytes([UInt8])
        case characters([Character])
        /// Text without a pattern, of which only the length is of interest.
        case hidden(count: Int)
    }

    private let units: Units
    /// Which positions are slots.
    private let isSlot: [Bool]

    /// Hides every one of `count` characters.
    init(hiding count: Int) {
        units = .hidden(count: count)
        isSlot = []
    }

    init<Unit: TextUnit>(_ emitted: [Unit], isSlot: [Bool]) {
        if let bytes = emitted as? [UInt8] {
            units = .bytes(bytes)
        } else {
            units = .characters(emitted as? [Character] ?? [])
        }
        self.isSlot = isSlot
    }

    /// The text to show, in UTF-8, when the state's `last4` is `last4`. Slots stay hidden unless the last four of them hold
    /// exactly that, so that nothing is ever shown here that `last4` does not show.
    func utf8(last4: String) -> [UInt8] {
        switch units {
        case .hidden(let count):
            var text: [UInt8] = []
            text.reserveCapacity(3 * count)
            for _ in 0..<count { Self.appendBullet(to: &text) }
            return text
        case .bytes(let bytes): return redact(bytes, last4: last4)
        case .characters(let characters): return redact(characters, last4: last4)
        }
    }

    private func redact<Unit: TextUnit>(_ emitted: [Unit], last4: String) -> [UInt8] {
        let shownFrom = last4.isEmpty ? emitted.count : firstOfLastFour(in: emitted, equalTo: last4)
        var text: [UInt8] = []
        text.reserveCapacity(3 * emitted.count)
        for position in emitted.indices {
            if position >= shownFrom || !isSlot[position] {
                emitted[position].append(to: &text)
            } else {
                Self.appendBullet(to: &text)
            }
        }
        return text
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

    /// U+2022 in UTF-8.
    @inline(__always)
    private static func appendBullet(to text: inout [UInt8]) {
        text.append(0xE2)
        text.append(0x80)
        text.append(0xA2)
    }
}
