internal import JSON

/// The checksum of card numbers (ISO/IEC 7812-1, annex B), with the length rule of `docs/reference/fields.md` section 5: at least nine
/// digits and nothing else; all zeros pass.
func passesLuhn(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    guard bytes.count >= 9 else { return false }
    var sum = 0
    var doubles = false
    for index in bytes.indices.reversed() {
        let byte = bytes[index]
        guard byte.isDigit else { return false }
        let digit = Int(byte &- 0x30)
        sum &+= doubles ? (digit > 4 ? 2 &* digit &- 9 : 2 &* digit) : digit
        doubles.toggle()
    }
    return sum % 10 == 0
}
