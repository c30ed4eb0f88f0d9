/// Digits in base 58: `1-9 A-Z a-z` without `I`, `O` and `l`, in the order that Bitcoin made common.
enum Base58 {
    static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    /// 16 bytes, most significant first, as a number in base 58, each leading zero byte being one leading `1`.
    static func encode(_ number: UInt128) -> [UInt8] {
        // 58^10 fits 64 bits, so that two wide divisions leave only narrow ones.
        let tenDigits: UInt64 = 430_804_206_899_405_824
        let (upper, low) = number.quotientAndRemainder(dividingBy: UInt128(tenDigits))
        let (high, middle) = upper.quotientAndRemainder(dividingBy: UInt128(tenDigits))
        var digits: [UInt8] = []
        digits.reserveCapacity(22)
        for (part, count) in [(UInt64(low), 10), (UInt64(middle), 10), (UInt64(high), 2)] {
            var rest = part
            for _ in 0..<count {
                digits.append(alphabet[Int(rest % 58)])
                rest /= 58
            }
        }
        while digits.last == alphabet[0] { digits.removeLast() }
        for _ in 0..<(number.leadingZeroBitCount / 8) { digits.append(alphabet[0]) }
        digits.reverse()
        return digits
    }
}
