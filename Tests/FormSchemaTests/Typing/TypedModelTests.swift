import Testing

@testable import FormSchema

/// Random masks and random keys, against a model that knows the value alone: what is typed goes in at the caret, what is deleted
/// goes out, and a change that leaves a character without a place does not happen.
@Suite struct TypedModelTests {
    /// A mask, of which the model knows what each place takes.
    private struct Places {
        /// By place: the literal; nil for a slot.
        var literals: [Character?] = []
        /// By slot: whether it takes a letter, else a digit.
        var takesLetter: [Bool] = []
        var mask = ""

        /// Typed letters are `u` to `z`, so that no literal is a letter that a slot could have taken.
        init(using generator: inout SeededGenerator) {
            let kinds = Int.random(in: 0...2, using: &generator)
            for _ in 0..<Int.random(in: 1...9, using: &generator) {
                if Bool.random(using: &generator) {
                    let isLetter = kinds == 2 ? Bool.random(using: &generator) : kinds == 1
                    literals.append(nil)
                    takesLetter.append(isLetter)
                    mask += isLetter ? "c" : "#"
                } else {
                    let literal = Array("0011239AB+- ()/").randomElement(using: &generator) ?? "-"
                    literals.append(literal)
                    mask.append(literal)
                }
            }
        }

        func fits(_ value: [Character]) -> Bool {
            value.count <= takesLetter.count && zip(value, takesLetter).allSatisfy { $0.isLetter == $1 }
        }

        /// The value with its literals, up to its last character.
        func shown(_ value: [Character]) -> String {
            var rest = value[...]
            var text = ""
            for literal in literals where !rest.isEmpty {
                if let character = literal ?? rest.popFirst() { text.append(character) }
            }
            return text
        }

        /// The literals behind the value.
        func next(_ value: [Character]) -> String {
            var text = ""
            for literal in literals.dropFirst(shown(value).count) {
                guard let literal else { break }
                text.append(literal)
            }
            return text
        }

        /// How many characters of the value stand before a place of the shown text.
        func count(before index: Int) -> Int { literals.prefix(index).count { $0 == nil } }
    }

    private struct Model {
        let places: Places
        var value: [Character] = []
        var isShaped: Bool { places.fits(value) }

        func index(in field: TypingField, of place: Int) -> Int { isShaped ? places.count(before: place) : place }

        func agrees(with field: TypingField, caret: Int?) -> Bool {
            guard field.value == String(value) else { return false }
            if let caret, index(in: field, of: field.from) != caret { return false }
            let shown = isShaped ? places.shown(value) : String(value)
            guard field.shown.hasPrefix(shown) else { return false }
            // Literals that were typed may follow.
            return isShaped ? places.next(value).hasPrefix(field.shown.dropFirst(shown.count)) : field.shown == shown
        }
    }

    @Test(arguments: [33, 34, 35, 796_173_606, UInt64.random(in: 100...1_000_000_000)])
    func changesActOnTheValue(_ seed: UInt64) throws {
        print("TypedModelTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<600 {
            let places = Places(using: &generator)
            guard !places.takesLetter.isEmpty else { continue }
            var model = Model(places: places)
            var field = TypingField(try TestForm("{'name':'f','mask':'\(places.mask)'}").schema)
            var log: [String] = []
            for _ in 0..<40 {
                let ends = [0, 1].map { _ in Int.random(in: 0...field.text.count, using: &generator) }.sorted()
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    field.select(ends[0], ends[1])
                } else if Bool.random(using: &generator) {
                    field.select(ends[0], ends[0])
                }
                log.append("\(field.shown) \(field.from) \(field.to)")
                let from = model.index(in: field, of: field.from)
                let to = model.index(in: field, of: field.to)
                let key = Int.random(in: 0..<10, using: &generator)
                if key < 3 {
                    try delete(isForward: key == 0, from, to, in: &field, of: &model)
                } else {
                    let length = key == 3 ? Int.random(in: 2...5, using: &generator) : 1
                    let input = (0..<length).compactMap { _ in
                        (places.takesLetter.randomElement(using: &generator) == true ? Array("uvwxyz") : Array("0123"))
                            .randomElement(using: &generator)
                    }
                    log.append(String(input) + (key == 4 ? "~" : ""))
                    try insert(input, isComposed: key == 4, from, to, in: &field, of: &model)
                }
                log.append("\(field.shown) \(field.from)")
                let agrees = model.agrees(with: field, caret: nil)
                #expect(
                    agrees,
                    "seed \(seed), round \(round), mask \(places.mask): \(log.suffix(6)); not \(String(model.value))")
                if !agrees { return }
            }
        }
    }

    /// Whatever a browser tells: an edit that is not of the text, a selection beyond it, marks that join anything.
    @Test(arguments: [41, UInt64.random(in: 100...1_000_000_000)])
    func anyEditIsCarriedOut(_ seed: UInt64) throws {
        print("TypedModelTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let forms = try ["'mask':'##0-##'", "'mask':'CC-##'", "'type':'cardNumber'", "'type':'expDate'"].map {
            try TestForm("{'name':'f',\($0)}").schema
        }
        let letters = ["0", "1", "2", "4", "-", "/", " ", "e", "\u{301}", "\u{20E3}", "👍", "\u{200D}"]
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).compactMap { _ in letters.randomElement(using: &generator)
            }
            .joined()
        }
        for _ in 0..<5_000 {
            let ends = [0, 1].map { _ in Int.random(in: -1...8, using: &generator) }.sorted()
            let before = text(6)
            let edit = TypedEdit(
                text: before, value: Bool.random(using: &generator) ? before : text(5), from: ends[0], to: ends[1],
                isComposed: Bool.random(using: &generator))
            let after = Bool.random(using: &generator) ? text(3) + before + text(1) : text(7)
            let caret = Int.random(in: -1...9, using: &generator)
            let form = try #require(forms.randomElement(using: &generator))
            let json = written {
                _ = form.writeTyped(after, caret: caret, after: edit, inField: "f", cardNumber: "", into: &$0)
            }
            #expect(json.hasSuffix("}"))
        }
    }

    private func delete(
        isForward: Bool, _ from: Int, _ to: Int, in field: inout TypingField, of model: inout Model
    ) throws {
        let place = field.from
        let isCollapsed = place == field.to
        let count = model.isShaped ? model.places.shown(model.value).count : model.value.count
        let isNothing = isForward ? place == field.text.count : place == 0
        try field.delete(isForward: isForward)
        if isCollapsed, isNothing { return }
        var range = from..<to
        // Behind the value stand literals that were typed. They go alone.
        if isCollapsed, isForward ? place < count : place <= count {
            range = isForward ? from..<min(from + 1, model.value.count) : max(from - 1, 0)..<from
        }
        model.value.removeSubrange(range)
        #expect(model.agrees(with: field, caret: range.lowerBound))
    }

    private func insert(
        _ input: [Character], isComposed: Bool, _ from: Int, _ to: Int, in field: inout TypingField,
        of model: inout Model
    ) throws {
        let before = (text: field.shown, from: field.from)
        let wasShaped = model.isShaped
        let isWhole = from == 0 && to == model.value.count
        try field.insert(String(input), isComposed: isComposed)
        let candidate = model.value[..<from] + input + model.value[to...]
        let value = Array(field.value)
        if model.places.fits(Array(candidate)) {
            let isLiteral =
                isWhole && input.count > 1
                && model.places.shown(value) == before.text.prefix(before.from) + String(input)
            #expect(value == Array(candidate) || isLiteral, "\(model.places.mask): \(before), \(input), \(field.shown)")
        } else if field.shown == before.text, value == model.value {
            return
        } else {
            // Characters are left out that are literals there, or that fit nowhere in a composition.
            let taken = value.dropFirst(from).dropLast(model.value.count - to)
            var rest = input[...]
            let isPart = taken.allSatisfy { character in
                while let next = rest.popFirst() { if next == character { return true } }
                return false
            }
            let left = input.filter { !taken.contains($0) }
            #expect(
                value.starts(with: model.value[..<from]) && value.suffix(model.value.count - to) == model.value[to...])
            #expect(isPart && (isComposed || left.allSatisfy { model.places.literals.contains($0) }))
            #expect(!wasShaped || model.places.fits(value))
        }
        let count = value.count - (model.value.count - (to - from))
        model.value = value
        #expect(model.agrees(with: field, caret: from + count))
    }
}
