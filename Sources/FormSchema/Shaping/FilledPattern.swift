internal import JSON

/// A pattern as far as an ASCII text has filled it. It keeps no more than the raw text: what else stands there are the pattern's
/// own literals.
struct FilledPattern {
    let pattern: FormatPattern
    /// How many of its positions are shown.
    let count: Int
    /// What stands in the slots, and those literals that are letters or digits.
    let raw: String

    /// Steps 1 to 3 of *format* (`fields.md` section 3): non-alphanumerics are not seen at all; a literal is emitted only while
    /// input is unread.
    /// - Parameter text: all ASCII, as the pattern is.
    static func fill(
        _ pattern: FormatPattern, with text: String
    ) -> (filled: FilledPattern, slotsFilled: Int, dropped: Bool) {
        let places = pattern.places
        let units = text.utf8Span.span
        var position = 0
        var slotsFilled = 0
        var dropped = false
        // Sound: every position adds one byte at the most, and there is room for one a position.
        let raw = String(unsafeUninitializedCapacity: places.count) { buffer in
            let places = places.span
            var count = 0
            for index in units.indices {
                let unitClass = ASCIIClass(of: units[index])
                guard !unitClass.isEmpty else { continue }
                while position < places.count, !places[position].isSlot {
                    if places[position].isRaw {
                        buffer[count] = places[position].literal
                        count += 1
                    }
                    position += 1
                }
                if position < places.count, !places[position].accepted.isDisjoint(with: unitClass) {
                    buffer[count] = units[index]
                    count += 1
                    position += 1
                    slotsFilled += 1
                } else {
                    dropped = true
                }
            }
            return count
        }
        return (FilledPattern(pattern: pattern, count: position, raw: raw), slotsFilled, dropped)
    }

    /// The formatted text.
    var text: String {
        String(unsafeUninitializedCapacity: count) { buffer in
            // Sound: there is room for a byte a position.
            visit { position, byte, _ in buffer[position] = byte }
            return count
        }
    }

    /// The formatted text with `divider` in the place of each literal; without one, the raw text.
    func text(withDivider divider: String) -> String {
        if divider.isEmpty || pattern.slotCount == pattern.places.count { return raw }
        return String(unsafeUninitializedCapacity: count * max(1, divider.utf8.count)) { buffer in
            // Sound: there is room for a byte or a divider a position, and a divider is UTF-8 as slots are ASCII.
            var end = 0
            visit { _, byte, isSlot in
                if isSlot {
                    buffer[end] = byte
                    end += 1
                } else {
                    for byte in divider.utf8 {
                        buffer[end] = byte
                        end += 1
                    }
                }
            }
            return end
        }
    }

    /// Writes the formatted text with a bullet for every slot, but for the last four if they hold exactly `last4`. Not inlined:
    /// what a function is lent is not counted.
    @inline(never)
    func writeRedacted(last4: String, into writer: inout JSONWriter) {
        let shownFrom = last4.isEmpty ? count : firstOfLastFour(equalTo: last4)
        let hidden = pattern.hidden
        writer.raw(hidden.span.extracting(..<pattern.hiddenEnds[shownFrom]))
        guard shownFrom < count else { return }
        visit { position, byte, _ in if position >= shownFrom { writer.text(byte) } }
    }

    /// The position of the first of the last four slots, if these hold `last4`; else a position behind all.
    private func firstOfLastFour(equalTo last4: String) -> Int {
        let all = pattern.places
        let places = all.span
        let own = raw.utf8Span.span
        let wanted = last4.utf8Span.span
        var position = count
        var next = own.count
        var slots = 0
        while slots < 4, position > 0 {
            position -= 1
            guard places[position].isRaw else { continue }
            next -= 1
            guard places[position].isSlot else { continue }
            slots += 1
            guard slots <= wanted.count, own[next] == wanted[wanted.count - slots] else { return count }
        }
        return slots == wanted.count ? position : count
    }

    /// Hands over what stands at each position, and whether in a slot.
    @inline(__always)
    private func visit(_ body: (_ position: Int, _ byte: UInt8, _ isSlot: Bool) -> Void) {
        let all = pattern.places
        let places = all.span
        let own = raw.utf8Span.span
        var next = 0
        for position in 0..<count {
            if places[position].isRaw {
                body(position, own[next], places[position].isSlot)
                next += 1
            } else {
                body(position, places[position].literal, false)
            }
        }
    }
}
