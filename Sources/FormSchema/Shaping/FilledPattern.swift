internal import JSON

/// A pattern as far as an ASCII text has filled it. Only the raw text is stored: everything else in the formatted text is a
/// literal of the pattern.
struct FilledPattern {
    let pattern: FormatPattern
    /// How many of its positions are shown.
    let count: Int
    /// The characters in the slots, and the literals that are letters or digits.
    let raw: String

    /// Steps 1 to 3 of *format* (`docs/reference/fields.md` section 3): non-alphanumerics are skipped; a literal is emitted only
    /// while there is unread input.
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

    /// Writes the formatted text with a bullet for every slot, except the last four if they hold exactly `last4`. Not inlined:
    /// borrowed parameters of a call are not retained.
    @inline(never)
    func writeRedacted(last4: String, into writer: inout JSONWriter) {
        let shownFrom = last4.isEmpty ? count : firstOfLastFour(equalTo: last4)
        let hidden = pattern.hidden
        writer.raw(hidden.span.extracting(..<pattern.hiddenEnds[shownFrom]))
        guard shownFrom < count else { return }
        visit { position, byte, _ in if position >= shownFrom { writer.text(byte) } }
    }

    /// The position of the first of the last four slots if these hold `last4`; otherwise the end.
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

    /// Calls `body` with the byte at each position, and whether it is a slot's.
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
