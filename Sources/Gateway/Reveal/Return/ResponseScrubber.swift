import JSON

/// Puts aliases in the place of the values that a call has revealed, in a header or in a body that comes piece by piece
/// (docs/reference/proxy.md section 7).
///
/// Every byte is looked at once, and again only if a value may have begun before the end of a piece. Only such bytes are held back:
/// at most a value as long as it can be written, or a number.
struct ResponseScrubber {
    /// Why a text cannot be searched.
    enum Unreadable: Error {
        case notText
        /// A number of more than ``NumberText/maximumLength`` characters.
        case numberTooLong
    }

    private let finder: ValueFinder
    private let syntax: TextSyntax
    /// What has to be done about each byte.
    private var marks = [UInt8](repeating: 0, count: 256)

    /// Buffered bytes. The first ``left`` have been passed on; they are kept because they adjoin what comes.
    private var window: [UInt8] = []
    private var left = 0
    /// Whether the window begins where the text does.
    private var hasStart = true
    /// JSON: where strings are.
    private var strings = JSONStrings()
    /// The value whose beginning has been replaced, and how many bytes of its rest have been found.
    private var rest: (value: Int, count: Int)?
    /// Values that were found.
    private(set) var found = 0

    private enum Mark {
        /// A value may begin here.
        static let start: UInt8 = 1
        /// A quote or a backslash of JSON.
        static let string: UInt8 = 2
        /// A digit, or the sign of a number of JSON.
        static let number: UInt8 = 4
        /// What no text holds.
        static let control: UInt8 = 8
    }

    init(_ finder: ValueFinder, _ syntax: TextSyntax) {
        self.finder = finder
        self.syntax = syntax
        for byte in 0..<0x20 where BeginningTable.isControl(UInt8(truncatingIfNeeded: byte)) {
            marks[byte] |= Mark.control
        }
        for byte in finder.firstBytes { marks[Int(byte)] |= Mark.start }
        if finder.hasNumbers || syntax == .json {
            for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { marks[Int(byte)] |= Mark.number }
        }
        if syntax == .json {
            marks[Int(UInt8(ascii: "-"))] |= Mark.number
            marks[Int(UInt8(ascii: "\""))] |= Mark.string
            marks[Int(UInt8(ascii: "\\"))] |= Mark.string
        }
    }

    /// The next bytes of the text with aliases in the place of values, as far as that is decided; at the end all of them.
    mutating func scrub(_ piece: [UInt8], isLast: Bool) throws(Unreadable) -> [UInt8] {
        if window.isEmpty { window = piece } else { window += piece }
        // A copy of the reference: the steps below change the other properties.
        let bytes = window
        window = []
        var output = Output(from: left)
        let end = try scan(bytes.span, isLast: isLast, into: &output)
        let scrubbed = output.finish(bytes, upTo: end)
        if !isLast { keep(bytes, from: end) }
        return scrubbed
    }

    /// Keeps what has not been decided, and a little of what has left in front of it.
    private mutating func keep(_ bytes: [UInt8], from end: Int) {
        let first = max(0, end - Surroundings.lookBehind)
        window = Array(bytes[first...])
        left = end - first
        if first > 0 { hasStart = false }
        strings.escaped -= first
    }

    /// What is passed on: runs of the window, with aliases between them.
    private struct Output {
        private var bytes: [UInt8] = []
        /// Up to here the window has been passed on or replaced.
        private var copied: Int

        init(from start: Int) { copied = start }

        mutating func replace(_ range: Range<Int>, in text: Span<UInt8>, _ write: (inout [UInt8]) -> Void) {
            append(text, upTo: range.lowerBound)
            write(&bytes)
            copied = range.upperBound
        }

        mutating func skip(to end: Int) { copied = end }

        private mutating func append(_ text: Span<UInt8>, upTo end: Int) {
            guard copied < end else { return }
            text.extracting(copied..<end).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        }

        consuming func finish(_ window: [UInt8], upTo end: Int) -> [UInt8] {
            if bytes.isEmpty, copied == 0, end == window.count { return window }
            append(window.span, upTo: end)
            return bytes
        }
    }

    // MARK: One pass over the window

    /// Returns where the undecided bytes begin.
    private mutating func scan(_ text: Span<UInt8>, isLast: Bool, into output: inout Output) throws(Unreadable) -> Int {
        // Retained once, and not at every step.
        let finder = finder
        let marks = marks
        var position = skipRest(text, isLast: isLast, &output)
        if rest != nil { return position }
        let surroundings = Surroundings(syntax: syntax, hasStart: hasStart, hasEnd: isLast)
        // The next place at which a value may begin.
        var place = -1
        while position < text.count {
            if position > place {
                place = finder.beginnings.next(text, from: position)
                position = skip(text, from: position, to: place, isLast: isLast)
                continue
            }
            let mark = marks[Int(text[position])]
            if mark == 0 {
                position += 1
                continue
            }
            if mark & Mark.control != 0 { throw .notText }
            if mark & Mark.string != 0, text[position] == UInt8(ascii: "\"") {
                // One that is escaped was looked at where its escape begins.
                if strings.escaped != position { strings.isInside.toggle() }
                position += 1
                continue
            }
            var step = Step.nothing
            if mark & Mark.number != 0 { step = try number(finder, text, at: position, isLast: isLast) }
            if case .nothing = step, position == place, mark & Mark.start != 0 {
                step = value(finder, text, at: position, isLast: isLast, surroundings)
            }
            switch step {
            case .nothing:
                if mark & Mark.string != 0, strings.isInside, strings.escaped != position {
                    strings.escaped = position + 1
                }
                position += 1
            case .passed(let end): position = end
            case .unfinished: return position
            case .replaced(let value, let range, let isNumber):
                replace(range, by: value, isNumber: isNumber, in: text, &output)
                position = range.upperBound
                if rest != nil { return position }
            }
        }
        return position
    }

    /// Passes over what has come of the rest of a value that has been replaced.
    private mutating func skipRest(_ text: Span<UInt8>, isLast: Bool, _ output: inout Output) -> Int {
        guard let (value, count) = rest else { return left }
        let (found, end, needsMore) = finder.compareRest(of: value, from: count, text, at: left, isWhole: isLast)
        output.skip(to: end)
        rest = needsMore ? (value, found) : nil
        return end
    }

    /// Passes over bytes at which no value begins, except those in front of `place` that may be the beginning of a number with it.
    private mutating func skip(_ text: Span<UInt8>, from start: Int, to place: Int, isLast: Bool) -> Int {
        var end = place
        if place < text.count || !isLast {
            while end > start, NumberText.mayHold(text[end - 1]) { end -= 1 }
        }
        if syntax == .json { strings.pass(text, from: start, to: end) }
        return end
    }

    /// What is known about the bytes at a place.
    private enum Step {
        case nothing
        /// There is nothing up to `end`.
        case passed(end: Int)
        case unfinished
        case replaced(value: Int, Range<Int>, isNumber: Bool)
    }

    private mutating func value(
        _ finder: ValueFinder, _ text: Span<UInt8>, at position: Int, isLast: Bool, _ surroundings: Surroundings
    ) -> Step {
        let isInString = strings.isInside
        var steps = 0
        let finding = finder.find(text, at: position, isWhole: isLast, steps: &steps) { value, end in
            surroundings.admit(value, text, position, end, isInString: isInString)
        }
        switch finding {
        case .nothing: return .nothing
        case .unfinished: return .unfinished
        case .match(let match):
            rest = match.unfinishedRest.map { (match.value, $0) }
            return .replaced(value: match.value, position..<match.end, isNumber: false)
        }
    }

    private mutating func replace(
        _ range: Range<Int>, by value: Int, isNumber: Bool, in text: Span<UInt8>, _ output: inout Output
    ) {
        found += 1
        let alias = finder.values[value].alias
        let isPercentEncoded = text.contains(UInt8(ascii: "%"), in: range)
        output.replace(range, in: text) { bytes in
            if isNumber { bytes.append(UInt8(ascii: "\"")) }
            syntax.escaped(alias, isPercentEncoded: isPercentEncoded, into: &bytes)
            if isNumber { bytes.append(UInt8(ascii: "\"")) }
        }
        strings.escaped = -1
        guard syntax == .json, !isNumber else { return }
        // A value may hold quotes that are not escaped where it stands.
        for index in range where text[index] == UInt8(ascii: "\"") {
            if index == range.lowerBound || text[index - 1] != UInt8(ascii: "\\") { strings.isInside.toggle() }
        }
    }

    // MARK: Numbers

    private mutating func number(
        _ finder: ValueFinder, _ text: Span<UInt8>, at position: Int, isLast: Bool
    ) throws(Unreadable) -> Step {
        let before = position > 0 ? text[position - 1] : 0x20
        if syntax == .json, !strings.isInside {
            return NumberText.mayHold(before) ? .nothing : try bareNumber(finder, text, at: position, isLast: isLast)
        }
        return before.isDigit ? .nothing : Self.numberWithinText(finder, text, at: position, isLast: isLast)
    }

    /// A number of JSON: if it is a value or holds one, all of it is replaced by the alias as a text.
    private mutating func bareNumber(
        _ finder: ValueFinder, _ text: Span<UInt8>, at start: Int, isLast: Bool
    ) throws(Unreadable) -> Step {
        let end = NumberText.characters(of: text, from: start)
        guard end - start <= NumberText.maximumLength else { throw .numberTooLong }
        if end == text.count, !isLast { return .unfinished }
        if let value = finder.short(text.extracting(start..<end)) {
            return .replaced(value: value, start..<end, isNumber: true)
        }
        let isNegative = text[start] == UInt8(ascii: "-")
        if let value = finder.number(text.extracting((isNegative ? start + 1 : start)..<end), isBare: true),
            !isNegative || finder.values[value].reach == .anywhere
        {
            return .replaced(value: value, start..<end, isNumber: true)
        }
        var steps = 0
        for position in start..<end where marks[Int(text[position])] & Mark.start != 0 {
            let finding = finder.find(text, at: position, isWhole: isLast, steps: &steps) { value, _ in
                value.reach == .anywhere
            }
            switch finding {
            case .nothing: continue
            case .unfinished: return .unfinished
            case .match(let match):
                rest = match.unfinishedRest.map { (match.value, $0) }
                return .replaced(value: match.value, start..<max(end, match.end), isNumber: true)
            }
        }
        return .passed(end: end)
    }

    /// A number with a point or an exponent in any other text.
    private static func numberWithinText(
        _ finder: ValueFinder, _ text: Span<UInt8>, at start: Int, isLast: Bool
    ) -> Step {
        guard finder.hasNumbers, text[start].isDigit else { return .nothing }
        var end = start + 1
        while end < text.count, text[end].isDigit { end += 1 }
        if end < text.count {
            // Digits alone are found as they are.
            guard text[end] == UInt8(ascii: ".") || text[end] | 0x20 == UInt8(ascii: "e") else { return .nothing }
        }
        if !isLast, NumberText.mayReachEnd(of: text, from: start) {
            return text.count - start <= NumberText.maximumLength ? .unfinished : .nothing
        }
        guard let numberEnd = NumberText.end(of: text, at: start), numberEnd > end,
            let value = finder.number(text.extracting(start..<numberEnd), isBare: false),
            finder.values[value].reach == .anywhere
        else { return .nothing }
        return .replaced(value: value, start..<numberEnd, isNumber: false)
    }
}

extension Span where Element == UInt8 {
    fileprivate func contains(_ byte: UInt8, in range: Range<Int>) -> Bool {
        for index in range where self[index] == byte { return true }
        return false
    }
}
