import Sensitive

/// Finds the values of one call in the bytes of its response, however they are written.
///
/// A class: it is made once a call, and what it holds are raw values, which lie on the heap and not in the frames of asynchronous
/// functions.
final class ValueFinder: Sendable {
    /// What begins at a place.
    enum Finding {
        case nothing
        /// It depends on bytes that are still to come.
        case unfinished
        case match(Match)
    }

    struct Match {
        /// Index of the value.
        let value: Int
        /// Behind its last byte.
        let end: Int
        /// Bytes of the value's rest that have been found, if the text ends before it does.
        var unfinishedRest: Int?
    }

    let values: [RevealedValue]
    /// Values as they are.
    private let exact: ValueTrie
    /// Those between whose characters spaces and hyphens may stand, without them.
    private let grouped: ValueTrie
    /// By ``NumberText/canonical``.
    private let numbers: [[UInt8]: Int]
    /// Values beyond 2^53 as doubles.
    private let doubles: [Double: Int]
    /// Whether a value may begin with this byte, or with an escape that begins with it.
    private let starts: [Bool]

    /// Separators that may stand between two digits.
    private static let maximumSeparators = 3

    /// - Parameter pairs: values with their aliases; of equal values the first alias is taken. Empty values are left out.
    init(_ pairs: [(value: SensitiveText, alias: String)]) {
        var values: [RevealedValue] = []
        var exact = ValueTrie()
        var grouped = ValueTrie()
        var numbers: [[UInt8]: Int] = [:]
        var doubles: [Double: Int] = [:]
        for (value, alias) in pairs where !value.isEmpty {
            let revealed = RevealedValue(value.exposed, alias: alias)
            let index = values.count
            values.append(revealed)
            if revealed.isGrouped {
                grouped.insert(revealed.beginning, value: index)
            } else {
                exact.insert(revealed.beginning, value: index)
            }
            guard revealed.isDigits, revealed.reach != .wholeText,
                let number = NumberText(revealed.beginning.span, at: 0),
                number.end == revealed.beginning.count
            else { continue }
            let canonical = number.canonical
            if !canonical.isEmpty, numbers[canonical] == nil { numbers[canonical] = index }
            if number.mayBeRounded, let double = NumberText.double(revealed.beginning.span), doubles[double] == nil {
                doubles[double] = index
            }
        }
        self.values = values
        self.exact = exact
        self.grouped = grouped
        self.numbers = numbers
        self.doubles = doubles
        starts = Self.starts(exact, grouped)
    }

    private static func starts(_ exact: ValueTrie, _ grouped: ValueTrie) -> [Bool] {
        if exact.isEmpty, grouped.isEmpty { return [Bool](repeating: false, count: 256) }
        return (0..<256).map { byte in
            let byte = UInt8(truncatingIfNeeded: byte)
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&"): return true
            case UInt8(ascii: "+"): return exact.begins(with: byte) || exact.begins(with: 0x20)
            default: return exact.begins(with: byte) || grouped.begins(with: byte)
            }
        }
    }

    var isEmpty: Bool { values.isEmpty }
    /// Whether a value has other letters than those of ASCII.
    var hasForeignLetters: Bool {
        values.contains { $0.beginning.contains { $0 >= 0x80 } || $0.rest.contains { $0 >= 0x80 } }
    }
    /// Whether some are digits, which may be written as numbers.
    var hasNumbers: Bool { !numbers.isEmpty }

    @inline(__always)
    func mayBegin(with byte: UInt8) -> Bool { starts[Int(byte)] }

    /// The longest value that begins at `start`, whatever adjoins it.
    ///
    /// - Parameters:
    ///   - isWhole: whether the text ends where `text` ends.
    ///   - admits: whether an occurrence of the value between `start` and an end counts; nil if that depends on bytes that are still
    ///     to come.
    func find(
        _ text: Span<UInt8>, at start: Int, isWhole: Bool, admits: (RevealedValue, _ end: Int) -> Bool?
    ) -> Finding {
        var search = Search(isWhole: isWhole)
        if !exact.isEmpty { follow(exact, from: ValueTrie.root, text, at: start, separators: nil, &search, admits) }
        if !grouped.isEmpty { follow(grouped, from: ValueTrie.root, text, at: start, separators: 0, &search, admits) }
        if search.isUnfinished { return .unfinished }
        return search.longest.map { .match($0) } ?? .nothing
    }

    private struct Search {
        let isWhole: Bool
        var isUnfinished = false
        var longest: Match?
    }

    /// - Parameter separators: how many stand in front of `position`; nil if there may be none.
    private func follow(
        _ trie: ValueTrie, from node: Int, _ text: Span<UInt8>, at position: Int, separators: Int?,
        _ search: inout Search, _ admits: (RevealedValue, Int) -> Bool?
    ) {
        guard position < text.count else {
            if !search.isWhole { search.isUnfinished = true }
            return
        }
        let readings = Readings(text, at: position, isWhole: search.isWhole)
        for index in 0..<readings.count {
            let character = readings.characters[index]
            if let next = trie.child(of: node, character) {
                if let value = trie.value(at: next) { judge(value, text, end: character.end, &search, admits) }
                if trie.hasChildren(next) {
                    follow(
                        trie, from: next, text, at: character.end, separators: separators.map { _ in 0 }, &search,
                        admits)
                }
            } else if let separators, separators < Self.maximumSeparators, node != ValueTrie.root, character.isSeparator
            {
                follow(trie, from: node, text, at: character.end, separators: separators + 1, &search, admits)
            }
        }
        if readings.isUnfinished { search.isUnfinished = true }
    }

    private func judge(
        _ index: Int, _ text: Span<UInt8>, end: Int, _ search: inout Search, _ admits: (RevealedValue, Int) -> Bool?
    ) {
        let value = values[index]
        guard let isAdmitted = admits(value, end) else {
            search.isUnfinished = true
            return
        }
        guard isAdmitted else { return }
        var match = Match(value: index, end: end)
        if !value.rest.isEmpty {
            let (count, end, needsMore) = compareRest(of: index, from: 0, text, at: end, isWhole: search.isWhole)
            match = Match(value: index, end: end, unfinishedRest: needsMore ? count : nil)
        }
        if search.longest.map({ $0.end < match.end }) ?? true { search.longest = match }
    }

    /// Follows the rest of a value whose beginning has been found, as far as the text goes on with it.
    ///
    /// - Parameter count: bytes of the rest that have been found before.
    /// - Returns: how many have been found now, where they end, and whether more may come.
    func compareRest(
        of index: Int, from count: Int, _ text: Span<UInt8>, at start: Int, isWhole: Bool
    ) -> (count: Int, end: Int, needsMore: Bool) {
        let rest = values[index].rest
        var count = count
        var position = start
        reading: while count < rest.count {
            guard position < text.count else { return (count, position, !isWhole) }
            let readings = Readings(text, at: position, isWhole: isWhole)
            if readings.isUnfinished { return (count, position, true) }
            // An escape before the byte that begins it: a value that holds one itself is rare.
            for index in (0..<readings.count).reversed() {
                let character = readings.characters[index]
                if rest.span.hasPrefix(character, at: count) {
                    count += character.count
                    position = character.end
                    continue reading
                }
            }
            return (count, position, false)
        }
        return (count, position, false)
    }

    /// The value that is equal to a number, which begins at `start` and has no sign.
    ///
    /// - Parameter isBare: whether it is a number of JSON, where programs may have rounded it.
    func number(_ number: NumberText, _ text: Span<UInt8>, isBare: Bool) -> Int? {
        if let index = numbers[number.canonical] { return index }
        guard isBare, number.mayBeRounded, !doubles.isEmpty, let double = NumberText.double(text) else { return nil }
        return doubles[double]
    }

    /// The value that is written with exactly these bytes.
    func whole(_ text: Span<UInt8>) -> Int? {
        for trie in [exact, grouped] {
            var node = ValueTrie.root
            var isThere = true
            for index in text.indices {
                guard let next = trie.child(of: node, text[index]) else {
                    isThere = false
                    break
                }
                node = next
            }
            if isThere, let value = trie.value(at: node) { return value }
        }
        return nil
    }
}

extension Span where Element == UInt8 {
    fileprivate func hasPrefix(_ character: WrittenCharacter, at start: Int) -> Bool {
        guard character.count <= count - start else { return false }
        for index in 0..<character.count
        where self[start + index] != UInt8(truncatingIfNeeded: character.bytes >> UInt32(8 * index)) { return false }
        return true
    }
}
