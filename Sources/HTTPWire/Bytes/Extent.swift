/// A range of positions in the bytes of a head, half the size of a `Range<Int>`.
struct Extent: Sendable, Equatable {
    private let start: UInt32
    private let end: UInt32

    init(_ range: Range<Int>) {
        // `HeadLimits` keeps every position far below 2³².
        start = UInt32(truncatingIfNeeded: range.lowerBound)
        end = UInt32(truncatingIfNeeded: range.upperBound)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
}
