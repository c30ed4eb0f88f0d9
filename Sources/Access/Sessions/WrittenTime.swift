/// A span of time as it is written, `<number><unit>`, in a configuration or in the request for a session. Exact, as binary fractions are
/// not: 2.05 minutes are 123 seconds.
package struct WrittenTime {
    /// The units, the smallest first.
    package static let units: [(name: String, milliseconds: Int)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The milliseconds are `count` divided by `divisor`.
    private let count: UInt128
    private let divisor: UInt128

    /// Nil if `text` is no span of time, or its number has more than 30 characters.
    ///
    /// - Parameter spaces: how many may stand between the number and its unit.
    package init?(_ text: String, spaces: Int) {
        let number = text.prefix { $0.isASCII && ($0.isWholeNumber || $0 == ".") }
        let rest = text[number.endIndex...]
        let unit = rest.dropFirst(min(spaces, rest.prefix { $0 == " " }.count))
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        // With 30 digits nothing here overflows.
        guard let scale = Self.units.first(where: { $0.name == unit })?.milliseconds, number.utf8.count <= 30,
            parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), let digits = UInt128(parts.joined())
        else { return nil }
        count = digits * UInt128(scale)
        let decimals = parts.dropFirst().first?.count ?? 0
        divisor = (0..<decimals).reduce(1) { power, _ in power * 10 }
    }

    /// Nil if it is no whole number of milliseconds.
    package var wholeMilliseconds: UInt128? { count.isMultiple(of: divisor) ? count / divisor : nil }

    /// The seconds, without what is left of one; nil if the time is shorter or longer than these bounds.
    func seconds(in range: ClosedRange<Int64>) -> Int64? {
        let second = divisor * 1_000
        guard count >= second * UInt128(max(0, range.lowerBound)), count <= second * UInt128(max(0, range.upperBound))
        else { return nil }
        return Int64(count / second)
    }
}
