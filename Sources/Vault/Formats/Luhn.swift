/// The check of ISO/IEC 7812-1, annex B ("Luhn"), over ASCII digits.
enum Luhn {
    /// Whether the digits, the last one being the check digit, add up to a multiple of ten. The caller has made sure
    /// that there are only digits.
    static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        checksum(digits) == 0
    }

    /// The weighted sum modulo ten.
    static func checksum(_ digits: some BidirectionalCollection<UInt8>) -> Int {
        var sum = 0
        var doubled = false
        for byte in digits.reversed() {
            sum += contribution(Int(byte &- 0x30), doubled: doubled)
            doubled.toggle()
        }
        return sum % 10
    }

    /// The digit (0–9) that, put in the place `index` where a zero stands now, makes the whole valid. There is always
    /// exactly one: doubling and adding the digits maps 0–9 onto 0–9.
    static func solution(_ digits: [UInt8], at index: Int) -> UInt8 {
        let missing = (10 - checksum(digits)) % 10
        let doubled = (digits.count - 1 - index) % 2 == 1
        for digit in 0..<10 where contribution(digit, doubled: doubled) == missing { return UInt8(digit) }
        return 0
    }

    private static func contribution(_ digit: Int, doubled: Bool) -> Int {
        guard doubled else { return digit }
        return digit > 4 ? digit * 2 - 9 : digit * 2
    }
}
