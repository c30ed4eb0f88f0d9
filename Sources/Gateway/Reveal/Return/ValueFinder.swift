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
    /// Values that are digits.
    private let numbers: [NumberText: Int]
    /// Whole numbers above 2^53, by the IEEE 754 double that programs round them to.
    private let doubles: [Double: Int]
    /// The bytes that a value, or an escape of its first character, may begin with.
    let firstBytes: [UInt8]
    /// Rules out most places of a text.
    let beginnings: BeginningFilter
    /// Whether there are values that only count as words or whole texts.
    private let hasShortValues: Bool
    /// Whether a value has other letters than those of ASCII.
    let hasForeignLetters: Bool
    /// How many significant digits the numbers have: a bit for each count.
    private let significantDigits: UInt64

    /// Separators that may stand between two characters.
    static let maximumSeparators = 3

    /// - Parameter pairs: values with their aliases; of equal values the first alias is taken. Empty values are left out.
    init(_ pairs: [(value: SensitiveText, alias: String)]) {
        var values: [RevealedValue] = []
        var exact: [(bytes: [UInt8], index: Int)] = []
        var grouped: [(bytes: [UInt8], index: Int)] = []
        var numbers: [NumberText: Int] = [:]
        var doubles: [Double: Int] = [:]
        var significantDigits: UInt64 = 0
        var beginnings = BeginningTable()
        values.reserveCapacity(pairs.count)
        exact.reserveCapacity(pairs.count)
        grouped.reserveCapacity(pairs.count)
        for (value, alias) in pairs where !value.isEmpty {
            let revealed = RevealedValue(value.exposed, alias: alias)
            let index = values.count
            values.append(revealed)
            beginnings.add(revealed.beginning, isGrouped: revealed.isGrouped)
            if let asItIs = revealed.asItIs {
                exact.append((asItIs, index))
                beginnings.add(asItIs, isGrouped: false)
            }
            if revealed.isGrouped {
                grouped.append((revealed.beginning, index))
            } else {
                exact.append((revealed.beginning, index))
            }
            guard revealed.isNumber, let number = NumberText(revealed.beginning.span)
            else { continue }
            significantDigits |= 1 << UInt64(NumberText.significantDigits(revealed.beginning.span))
            if numbers[number] == nil { numbers[number] = index }
            beginnings.addNumber(revealed.beginning)
            guard let double = Self.rounded(number) else { continue }
            if doubles[double] == nil { doubles[double] = index }
            for bound in [double.nextDown, double.nextUp] {
                if let whole = UInt128(exactly: bound) { beginnings.addNumber(String(whole).utf8) }
            }
        }
        if !numbers.isEmpty { beginnings.addFractions() }
        self.values = values
        self.exact = ValueTrie(exact)
        self.grouped = ValueTrie(grouped)
        self.numbers = numbers
        self.doubles = doubles
        firstBytes = Self.firstBytes(self.exact, self.grouped)
        hasShortValues = values.contains { $0.reach != .anywhere }
        hasForeignLetters = values.contains { $0.beginning.contains { $0 >= 0x80 } || $0.rest.contains { $0 >= 0x80 } }
        self.significantDigits = significantDigits
        self.beginnings = BeginningFilter(beginnings)
    }

    /// The bytes that a value, or an escape of its first character, may begin with.
    private static func firstBytes(_ exact: ValueTrie, _ grouped: ValueTrie) -> [UInt8] {
        if exact.isEmpty, grouped.isEmpty { return [] }
        let spaces: [UInt8] = exact.firstBytes.contains(0x20) ? [UInt8(ascii: "+")] : []
        return exact.firstBytes + grouped.firstBytes + spaces
            + [UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "&")]
    }

    var isEmpty: Bool { values.isEmpty }
    /// Whether some are digits, which may be written as numbers.
    var hasNumbers: Bool { !numbers.isEmpty }

    /// The longest value that begins at `start`, whatever adjoins it.
    ///
    /// - Parameters:
    ///   - isWhole: whether the text ends where `text` ends.
    ///   - steps: grows by the characters that have been read.
    ///   - admits: whether an occurrence of the value between `start` and an end counts; nil if that depends on bytes that are still
    ///     to come.
    func find(
        _ text: Span<UInt8>, at start: Int, isWhole: Bool, steps: inout Int,
        admits: (RevealedValue, _ end: Int) -> Bool?
    ) -> Finding {
        var search = Search(isWhole: isWhole)
        if !exact.isEmpty { follow(exact, from: ValueTrie.root, text, at: start, Path(), &search, admits) }
        if !grouped.isEmpty {
            follow(grouped, from: ValueTrie.root, text, at: start, Path(separators: 0), &search, admits)
        }
        steps += search.steps
        if search.isUnfinished { return .unfinished }
        return search.longest.map { .match($0) } ?? .nothing
    }

    private struct Search {
        let isWhole: Bool
        var isUnfinished = false
        var longest: Match?
        /// Characters that have been read.
        var steps = 0
    }

    /// How a value has been written so far.
    private struct Path {
        /// How many separators stand in front of the position; nil if there may be none.
        var separators: Int?
        /// As how many bytes its backslashes are written; 0 if it had none. All are written in one way: otherwise a run of them could be
        /// read in exponentially many.
        var backslash = 0

        /// The way on behind a character of the value; nil if it is none.
        func after(_ character: WrittenCharacter, from position: Int) -> Path? {
            var path = self
            if separators != nil { path.separators = 0 }
            guard character.ascii == UInt8(ascii: "\\") else { return path }
            path.backslash = character.end - position
            return backslash == 0 || backslash == path.backslash ? path : nil
        }
    }

    private func follow(
        _ trie: ValueTrie, from node: Int, _ text: Span<UInt8>, at position: Int, _ path: Path,
        _ search: inout Search, _ admits: (RevealedValue, Int) -> Bool?
    ) {
        search.steps += 1
        guard position < text.count else {
            if !search.isWhole { search.isUnfinished = true }
            return
        }
        let readings = Readings(text, at: position, isWhole: search.isWhole)
        for index in 0..<readings.count {
            let character = readings.characters[index]
            if let next = trie.child(of: node, character) {
                guard let path = path.after(character, from: position) else { continue }
                if let value = trie.value(at: next) { judge(value, text, end: character.end, &search, admits) }
                if trie.hasChildren(next) {
                    follow(trie, from: next, text, at: character.end, path, &search, admits)
                }
            } else if let separators = path.separators, separators < Self.maximumSeparators,
                node != ValueTrie.root, character.isSeparator
            {
                var path = path
                path.separators = separators + 1
                follow(trie, from: node, text, at: character.end, path, &search, admits)
            }
        }
        if readings.isUnfinished { search.isUnfinished = true }
    }

    private func judge(
        _ index: Int, _ text: Span<UInt8>, end: Int, _ search: inout Search,
        _ admits: (RevealedValue, Int) -> Bool?
    ) {
        guard let isAdmitted = admits(values[index], end) else {
            search.isUnfinished = true
            return
        }
        guard isAdmitted else { return }
        var match = Match(value: index, end: end)
        if !values[index].rest.isEmpty {
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

    /// The value that is equal to the number that is `text`.
    ///
    /// - Parameters:
    ///   - text: digits, a point and an exponent, without a sign.
    ///   - isBare: whether it is a number of JSON, where programs may have rounded it.
    func number(_ text: Span<UInt8>, isBare: Bool) -> Int? {
        // Nearly all numbers have another length.
        let count = NumberText.significantDigits(text)
        guard count < 64, significantDigits & 1 << UInt64(count) != 0 || isBare && !doubles.isEmpty,
            let number = NumberText(text)
        else { return nil }
        if let index = numbers[number] { return index }
        return isBare ? Self.rounded(number).flatMap { doubles[$0] } : nil
    }

    /// The double that a whole number becomes which is too large for one; nil for others.
    private static func rounded(_ number: NumberText) -> Double? {
        guard let whole = number.whole, whole > 1 << 53 else { return nil }
        return Double(whole)
    }

    /// The short value that is written with exactly these bytes.
    func short(_ text: Span<UInt8>) -> Int? {
        guard hasShortValues, let value = exact.value(of: text) ?? grouped.value(of: text) else { return nil }
        return values[value].reach == .anywhere ? nil : value
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
