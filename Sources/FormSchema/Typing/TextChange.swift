/// A change of a text between what stays unchanged at its start and at its end.
struct TextChange {
    /// The characters before: what slots held as it was typed, and literals.
    private var old: [Character]
    private var isHeld: [Bool]
    /// How many of them stay at the start, and from where on at the end.
    private var start: Int
    private var end: Int
    private(set) var inserted: [Character] = []
    /// How many of the inserted characters stand before the caret.
    private(set) var caret = 0
    /// Whether something was taken away that slots held.
    private(set) var removesHeld = false

    /// No change of a value.
    init(of value: String) {
        old = Array(value)
        isHeld = old.map { _ in true }
        start = old.count
        end = start
    }

    /// - Parameters:
    ///   - caret: in UTF-16 code units of `text`.
    ///   - places: those that the text before stood in.
    init(to text: String, caret: Int, of edit: TypedEdit, in places: [TypingPlace]) {
        self.init(of: edit.text)
        let new = Array(text)
        if !tellLiterals(from: edit.value, in: places), edit.text != edit.value {
            // The rules of the form are others now.
            self = TextChange(of: text == edit.text ? edit.value : "")
            if text == edit.text { return }
        }
        let before = Array(edit.text)
        self.caret = new.count(before: caret)
        let from = before.count(before: edit.from)
        var sameStart = 0
        while sameStart < min(old.count, new.count), before[sameStart] == new[sameStart] { sameStart += 1 }
        var sameEnd = 0
        while sameEnd < min(old.count, new.count), before[before.count - sameEnd - 1] == new[new.count - sameEnd - 1] {
            sameEnd += 1
        }
        // What was selected is replaced.
        start = from
        end = max(from, before.count(before: edit.to))
        if old.isEmpty {
            (start, end) = (0, 0)
        } else if start > sameStart || old.count - end > sameEnd || start + old.count - end > new.count {
            // Or what stood elsewhere, up to the caret, or all to the end.
            let tail = new.count - self.caret
            end = old.count - (tail > sameEnd ? 0 : tail)
            start = min(sameStart, end, new.count - (old.count - end))
        }
        let insertedEnd = new.count - (old.count - end)
        // A mark joins the character before it. Where the slot does not take what they make, it is left out and the character stays; but
        // if it came for what was selected, it is refused as any other character, and that stays, too.
        if start < min(from, end, insertedEnd), isHeld[start], new[start].isLonger(than: before[start]),
            start >= places.count || places[start].take(new[start]) == nil,
            edit.from == edit.to || start + 1 < insertedEnd
        {
            start += 1
        }
        inserted = Array(new[start..<insertedEnd])
        self.caret = min(max(self.caret - start, 0), inserted.count)
        removesHeld = isHeld[start..<end].contains(true)
        if inserted.isEmpty, !removesHeld, start < end, edit.from == edit.to { widen(isForward: start == from) }
    }

    /// Literals alone would come back at once: the character beside them goes, too.
    private mutating func widen(isForward: Bool) {
        guard let next = isHeld[end...].firstIndex(of: true) else { return }
        if isForward {
            end = next + 1
            removesHeld = true
        } else if let last = isHeld[..<start].lastIndex(of: true) {
            start = last
            removesHeld = true
        }
    }

    /// Tells literals from what slots held.
    /// - Returns: false, with nothing changed, if the text does not stand in the places. While a character has no place, the value is
    ///   shown without literals.
    private mutating func tellLiterals(from value: String, in places: [TypingPlace]) -> Bool {
        var held = value.makeIterator()
        var typed: [Character] = []
        for (index, character) in old.enumerated() {
            guard index < places.count else { return false }
            if let literal = places[index].literal {
                guard literal == character else { return false }
                typed.append(character)
            } else {
                guard let character = held.next() else { return false }
                typed.append(character)
            }
        }
        guard held.next() == nil else { return false }
        for index in old.indices { isHeld[index] = places[index].literal == nil }
        old = typed
        return true
    }

    /// The places as what stays fills them with an input in between. A text that is nothing but input is read as a whole.
    /// - Parameter caret: how many characters of the input stand before it.
    func filled(_ input: [Character], caret: Int, places: (String) -> [TypingPlace]) -> FilledPlaces {
        var value = ""
        var shown: [Character] = []
        for index in 0..<start { if isHeld[index] { value.append(old[index]) } else { shown.append(old[index]) } }
        // Of literals that someone types, nothing was held yet.
        let isLiteral = input.count > 1 || (input.count == 1 && !removesHeld)
        let isWhole = value.isEmpty && isLiteral && !isHeld[end...].contains(true)
        value += String(input)
        for index in end..<old.count where isHeld[index] { value.append(old[index]) }
        let places = places(value)
        if isWhole { return .reading(input, after: shown, caret: caret, in: places) }
        let filled = FilledPlaces(places)
        keep(0, start, in: filled)
        filled.read(input, caret: caret, literals: .none)
        keep(end, old.count, in: filled)
        return filled
    }

    private func keep(_ start: Int, _ end: Int, in filled: FilledPlaces) {
        for index in start..<end { if isHeld[index] { filled.keep(old[index]) } else { filled.show(old[index]) } }
    }

    /// The inserted characters that find a place, as if they were typed one by one.
    /// - Parameter fits: whether so many of them find one.
    /// - Returns: beside them how many stand before the caret, and the characters that are left.
    func fitting(_ fits: ([Character]) -> Bool) -> (taken: [Character], caret: Int, left: String) {
        var taken: [Character] = []
        var takenCaret = 0
        var left = ""
        for (index, character) in inserted.enumerated() {
            taken.append(character)
            if fits(taken) {
                if index < caret { takenCaret += 1 }
            } else {
                taken.removeLast()
                left.append(character)
            }
        }
        return (taken, takenCaret, left)
    }
}

extension Character {
    /// Whether it is another one with more scalars behind its first.
    fileprivate func isLonger(than other: Character) -> Bool {
        utf8.count > other.utf8.count && unicodeScalars.first == other.unicodeScalars.first
    }
}

extension [Character] {
    /// How many of the characters begin before an offset in UTF-16 code units.
    func count(before offset: Int) -> Int {
        var end = 0
        var count = 0
        while count < self.count, end < offset {
            end += self[count].utf16.count
            count += 1
        }
        return count
    }
}
