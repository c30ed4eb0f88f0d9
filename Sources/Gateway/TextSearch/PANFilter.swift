import FormSchema

/// Looks for card numbers in bytes that come piece by piece, and does about them what the guard is told to (`docs/reference/proxy.md` section 10).
///
/// Each byte is looked at once, and again only if a number may have begun before the end of a piece.
struct PANFilter {
    /// Card numbers that are none: aliases of this vault, and values that are meant to leave.
    struct Exemptions: Sendable, ExpressibleByArrayLiteral {
        private var digits: Set<[UInt8]> = []

        init(arrayLiteral elements: String...) { insert(elements) }

        init(_ texts: some Sequence<String>) { insert(texts) }

        mutating func insert(_ texts: some Sequence<String>) {
            for text in texts {
                let digits = text.utf8.filter(\.isASCIIDigit)
                if CardNumberShape.lengths.contains(digits.count) { self.digits.insert(digits) }
            }
        }

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
    /// JSON, while numbers are masked: whether the place up to which quotes have been counted is within a string.
    private var isInString = false
    private var isEscaped = false
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
        let end = scan(bytes.span, isLast: isLast) { find, isNumber in
            output += bytes[copied..<find.range.lowerBound]
            PANMask.write(find, in: bytes.span, isNumber: isNumber, into: &output)
            copied = find.range.upperBound
        }
        let isWhole = copied == 0 && end == bytes.count
        if !isWhole, action != .report { output += bytes[copied..<max(copied, end)] }
        keep(bytes, from: end)
        return action == .report ? piece : isWhole ? bytes : output
    }

    /// Returns where the undecided bytes begin.
    private mutating func scan(
        _ text: Span<UInt8>, isLast: Bool, _ mask: (PANScanner.Find, _ isNumber: Bool) -> Void
    ) -> Int {
        var position = left
        while true {
            switch PANScanner.next(text, from: position, isWhole: isLast) {
            case .nothing(let end):
                countQuotes(text, upTo: end)
                return end
            case .find(let find):
                position = find.range.upperBound
                guard !exempt.contain(find) else { continue }
                found += 1
                if places.count < Self.maximumPlaces { places.append(offset + find.range.lowerBound) }
                guard action == .mask else { continue }
                countQuotes(text, upTo: find.range.lowerBound)
                mask(find, isJSON && !isInString)
            }
        }
    }

    private mutating func countQuotes(_ text: Span<UInt8>, upTo end: Int) {
        guard isJSON, action == .mask, counted < end else { return }
        for index in counted..<end {
            if isEscaped {
                isEscaped = false
            } else if text[index] == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if text[index] == UInt8(ascii: "\\") {
                isEscaped = isInString
            }
        }
        counted = end
    }

    /// Keeps what has not been decided, and a little of what has left in front of it.
    private mutating func keep(_ bytes: [UInt8], from end: Int) {
        let first = max(0, end - PANScanner.lookBehind)
        window = Array(bytes[first...])
        left = end - first
        offset += first
        counted = max(0, counted - first)
    }
}
