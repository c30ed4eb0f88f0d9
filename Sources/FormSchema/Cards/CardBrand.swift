internal import JSON

/// A card brand: how its numbers begin, how long they are and how they are shown (`docs/reference/fields.md` section 5).
final class CardBrand: Sendable {
    enum Checksum: String, Sendable, CaseIterable {
        case luhn
        case none
    }

    /// How many leading digits a valid number may show as its BIN (`docs/reference/fields.md` section 10, `docs/reference/elements.md` section 8).
    enum BINRule: Sendable {
        case six
        /// Eight if there are at least 16 digits, else none.
        case eightOrNone
        /// Eight if there are at least 16 digits, else six.
        case eightOrSix
    }

    let id: String
    let name: String
    let prefixes: [PrefixRange]
    /// Lengths of a whole number, in digits.
    let lengths: [Int]
    let cvcLengths: [Int]
    let pattern: FormatPattern
    let checksum: Checksum
    let binRule: BINRule
    /// The members of a state from `cardBrand` to the name `bin`.
    let stateMembers: [UInt8]
    /// The pattern of a CVC of this brand: as many digits as the longest has.
    let cvcPattern: FormatPattern

    init(
        id: String, name: String, prefixes: [PrefixRange], lengths: [Int], cvcLengths: [Int] = [3], pattern: String,
        checksum: Checksum = .luhn, binRule: BINRule = .six
    ) {
        self.id = id
        self.name = name
        self.prefixes = prefixes
        self.lengths = lengths
        self.cvcLengths = cvcLengths
        self.pattern = FormatPattern(pattern)
        self.checksum = checksum
        self.binRule = binRule
        stateMembers = Self.stateMembers(id: id, name: name)
        cvcPattern = FormatPattern(String(repeating: "#", count: cvcLengths.max() ?? 4))
    }

    private static func stateMembers(id: String, name: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 96)
        writer.raw(",")
        writer.key("cardBrand")
        writer.string(id)
        writer.key("cardBrandName")
        writer.string(name)
        writer.key("bin")
        return writer.bytes
    }

    /// Whether `text` is a whole number of this brand.
    /// - Parameter length: its characters.
    func accepts(_ text: String, length: Int) -> Bool {
        lengths.contains(length) && (checksum == .none || passesLuhn(text))
    }

    /// How many digits of a valid number of this brand are shown as its BIN.
    /// - Parameter count: how many it has.
    func binLength(ofDigits count: Int) -> Int {
        switch binRule {
        case .six: 6
        case .eightOrNone: count >= 16 ? 8 : 0
        case .eightOrSix: count >= 16 ? 8 : 6
        }
    }
}

/// The checksum of card numbers (ISO/IEC 7812-1, annex B), with the length rule of `docs/reference/fields.md` section 5: at least nine
/// digits and nothing else; all zeros pass.
func passesLuhn(_ text: String) -> Bool { passesLuhn(text.utf8Span.span) }

/// As for text. `bytes` is ASCII.
package func passesLuhn(_ bytes: Span<UInt8>) -> Bool {
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
