/// Iterates over the elements of a comma-separated value, without the blanks around them, empty elements included
/// (RFC 9110 section 5.6.1).
struct ListElements {
    private var next: Int?
    private let end: Int

    init(_ value: Range<Int>) {
        next = value.lowerBound
        end = value.upperBound
    }

    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        guard let start = next else { return nil }
        var comma = start
        while comma < end, bytes[comma] != .comma { comma += 1 }
        next = comma < end ? comma + 1 : nil
        return bytes.trimmed(start..<comma)
    }
}
