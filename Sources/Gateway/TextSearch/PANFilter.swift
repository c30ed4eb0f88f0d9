import FormSchema
import JSON

/// Looks for card numbers in bytes that come piece by piece, and does about them what the guard is told to (`docs/reference/proxy.md` section 10).
///
/// Each byte is looked at once, and again only if a number may have begun before the end of a piece.
struct PANFilter {
    /// Digits that have the shape of a card number and may pass: aliases of this vault, and values that are meant to leave.
    struct Exemptions: Sendable, ExpressibleByArrayLiteral {
        private var digits: Set<[UInt8]> = []

        init(arrayLiteral elements: String...) { insert(elements) }

        init(_ texts: some Sequence<String>) { insert(texts) }

        mutating func insert(_ texts: some Sequence<String>) {
            for text in texts {
                let digits = text.utf8.filter(\.isDigit)
                if CardNumberShape.lengths.contains(digits.count) { self.digits.insert(digits) }
            }
        }

        /// Whether the find was none of them before.
        mutating func insert(_ find: PANScanner.Find) -> Bool { digits.insert(find.digits).inserted }

        func contain(_ find: PANScanner.Find) -> Bool { !digits.isEmpty && digits.contains(find.digits) }
    }

    private let action: FormSchema.Guard.Action
    private let isJSON: Bool
    private let exempt: Exemptions
    /// Buffered bytes. The first ``left`` have been passed on; they are kept because they adjoin what comes.
    private var window: [UInt8] = []
    private var left = 0
    /// Of the window's first byte in the whole text.
    private var offset = 0
    /// JSON, while numbers are masked: where strings are, up to `counted`.
    private var strings = JSONStrings()
    private var counted = 0

    /// Where card numbers begin, in bytes; the first of them.
    private(set) var places: [Int] = []
    /// How many there are.
    private(set) var found = 0
    /// Places that are kept.
    static let maximumPlaces = 20

    init(_ action: FormSchema.Guard.Action, isJSON: Bool, exempt: Exemptions) {
        self.action = action
        self.isJSON = isJSON
        self.exempt = exempt
    }

    /// What may leave of the bytes so far. Where numbers are only reported, they all leave at once.
    mutating func filter(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
        guard action != .off else { return piece }
        let bytes = window.isEmpty ? piece : window + piece
        window = []
        var output: [UInt8] = []
        var copied = left
        let end = scan(bytes.span, isLast: isLast) { find, number in
            let range = number ?? find.range
            output += bytes[copied..<range.lowerBound]
            PANMask.write(find, in: bytes.span, isNumber: number != nil, into: &output)
            copied = range.upperBound
        }
        let isWhole = copied == 0 && end == bytes.count
        if !isWhole, action != .report { output += bytes[copied..<max(copied, end)] }
        keep(bytes, from: end)
        return action == .report ? piece : isWhole ? bytes : output
    }

    /// Returns where the undecided bytes begin. What is found in a number of JSON is masked with the range of all of the number.
    private mutating func scan(
        _ text: Span<UInt8>, isLast: Bool, _ mask: (PANScanner.Find, _ number: Range<Int>?) -> Void
    ) -> Int {
        var position = left
        while true {
            switch PANScanner.next(text, from: position, isWhole: isLast) {
            case .nothing(let end):
                countQuotes(text, upTo: end)
                // The sign belongs to the number that may come.
                let endsWithSign = !isLast && masksNumbers && end > position && text[end - 1] == UInt8(ascii: "-")
                return endsWithSign ? end - 1 : end
            case .find(let find):
                guard !exempt.contain(find) else {
                    position = find.range.upperBound
                    continue
                }
                countQuotes(text, upTo: find.range.lowerBound)
                let number = masksNumbers ? Self.number(around: find.range, in: text, from: position) : nil
                if let number, number.upperBound == text.count, !isLast, number.count <= NumberText.maximumLength {
                    return number.lowerBound
                }
                position = number?.upperBound ?? find.range.upperBound
                found += 1
                if places.count < Self.maximumPlaces { places.append(offset + find.range.lowerBound) }
                if action == .mask { mask(find, number) }
            }
        }
    }

    /// Whether the place up to which quotes have been counted is where JSON has numbers, which are masked.
    private var masksNumbers: Bool { isJSON && action == .mask && !strings.isInside }

    /// The number of JSON that a find is in, with its sign, fraction and exponent: a text stands in the place of all of it.
    ///
    /// - Parameter start: the bytes in front of it have been passed on.
    private static func number(around find: Range<Int>, in text: Span<UInt8>, from start: Int) -> Range<Int> {
        let isSigned = find.lowerBound > start && text[find.lowerBound - 1] == UInt8(ascii: "-")
        let first = isSigned ? find.lowerBound - 1 : find.lowerBound
        return first..<NumberText.characters(of: text, from: find.upperBound)
    }

    private mutating func countQuotes(_ text: Span<UInt8>, upTo end: Int) {
        guard isJSON, action == .mask, counted < end else { return }
        strings.pass(text, from: counted, to: end)
        counted = end
    }

    /// Keeps what has not been decided, and a little of what has left in front of it.
    private mutating func keep(_ bytes: [UInt8], from end: Int) {
        let first = max(0, end - PANScanner.lookBehind)
        window = Array(bytes[first...])
        left = end - first
        offset += first
        counted = max(0, counted - first)
        strings.escaped -= first
    }
}
