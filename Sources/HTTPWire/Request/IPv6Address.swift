/// The text of an IPv6 address (RFC 3986 section 3.2.2): eight groups of one to four hexadecimal digits. `::` may
/// replace one or more of them, and the last two may be written as an IPv4 address.
enum IPv6Address {
    static func isWellFormed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        var groups = 0
        var hasGap = false
        if bytes.holds("::", at: index), index + 2 <= range.upperBound {
            hasGap = true
            index += 2
        }
        while index < range.upperBound {
            let end = endOfGroup(bytes, index..<range.upperBound)
            if end < range.upperBound, bytes[end] == UInt8(ascii: ".") {
                guard isIPv4(bytes, index..<range.upperBound) else { return false }
                groups += 2
                break
            }
            guard end > index, end - index <= 4 else { return false }
            groups += 1
            index = end
            guard index < range.upperBound else { break }
            guard bytes[index] == .colon, index + 1 < range.upperBound else { return false }
            index += 1
            if bytes[index] == .colon {
                guard !hasGap else { return false }
                hasGap = true
                index += 1
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    private static func endOfGroup(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var end = range.lowerBound
        while end < range.upperBound, bytes[end].hexValue != nil { end += 1 }
        return end
    }

    /// Four numbers of 0 to 255 without leading zeros.
    private static func isIPv4(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var numbers = 0
        var index = range.lowerBound
        while true {
            let start = index
            var value = 0
            while index < range.upperBound, bytes[index].isDigit, index - start < 3 {
                value = value * 10 + Int(bytes[index] &- 0x30)
                index += 1
            }
            guard index > start, value <= 255, index - start == 1 || bytes[start] != UInt8(ascii: "0") else {
                return false
            }
            numbers += 1
            if index == range.upperBound { return numbers == 4 }
            guard bytes[index] == UInt8(ascii: "."), numbers < 4 else { return false }
            index += 1
        }
    }
}
