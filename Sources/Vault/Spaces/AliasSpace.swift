/// All aliases that a format with kept characters can give to values that agree in what is kept: a template with free
/// places, an alphabet for them, and a condition on the whole.
///
/// Two values with the same kept characters share a space and compete for its aliases, which is why it is hashable:
/// it is the key under which fullness is tracked.
struct AliasSpace: Hashable, Sendable {
    /// What may stand in a free place.
    enum Alphabet: Hashable, Sendable {
        case digits
        /// `0-9 A-Z`.
        case alphanumerics

        var radix: Int { self == .digits ? 10 : 36 }
    }

    /// What must hold for the whole alias.
    enum Condition: Hashable, Sendable {
        case none
        /// Luhn-valid, by the one digit in the solved place.
        case luhn(solved: Int)
        /// The first digit is not 0, and the whole is Luhn-valid by the digit in the solved place.
        case luhnNotFromZero(solved: Int)
        /// At least one letter among the free places.
        case letter
        /// The free places are a valid area and group of a social security number.
        case socialSecurity
    }

    let format: AliasFormat
    /// The alias with its kept characters; zero bytes in the free places and in the solved one.
    let template: [UInt8]
    /// The places that are drawn, ascending; without the solved one.
    let free: [Int]
    let alphabet: Alphabet
    let condition: Condition

    /// The space of `format` for a value that it accepts; `nil` for formats whose aliases are random tokens.
    init?(_ format: AliasFormat, value: String) {
        let bytes = Array(value.utf8)
        let count = bytes.count
        switch format {
        case .uuid, .rawUUID, .genericTFour, .vgsFixedLenGeneric:
            return nil
        case .numLengthPreserving:
            self.init(format, bytes, drawn: 0..<count, .digits)
        case .pfpt:
            let template = Array("991".utf8) + bytes.prefix(2) + [UInt8](repeating: 0, count: 10) + bytes.suffix(4)
            self.init(format, template, drawn: 5..<15, .digits, .luhn(solved: 5))
        case .fpeSixTFour:
            self.init(format, bytes, drawn: 6..<(count - 4), .digits, .luhn(solved: 6))
        case .fpeTFour:
            self.init(format, bytes, drawn: 0..<(count - 4), .digits, .luhnNotFromZero(solved: 1))
        case .fpeSSNTFour:
            self.init(format, bytes, drawn: 0..<(count - 4), .digits, .socialSecurity)
        case .fpeAccNumTFour:
            self.init(format, bytes, drawn: 0..<(count - 4), .digits)
        case .fpeAlphanumericAccNumTFour, .alphanumericLengthPreservingTFour:
            self.init(format, bytes, drawn: 0..<(count - 4), .alphanumerics, .letter)
        case .alphanumericSixTFour:
            let template = bytes.prefix(6) + [UInt8](repeating: 0, count: 9) + bytes.suffix(4)
            self.init(format, Array(template), drawn: 6..<15, .alphanumerics, .letter)
        case .alphanumericLengthPreserving, .nonLuhnFPEAlphanumeric:
            self.init(format, bytes, drawn: 0..<count, .alphanumerics, .letter)
        case .alphanumericSSNTFour:
            self.init(format, bytes, drawn: 0..<(count - 4), .alphanumerics, .letter)
        case .alphanumericLengthPreservingSixTFour:
            self.init(format, bytes, drawn: 6..<(count - 4), .alphanumerics, .letter)
        }
    }

    private init?(
        _ format: AliasFormat, _ bytes: [UInt8], drawn: Range<Int>, _ alphabet: Alphabet, _ condition: Condition = .none
    ) {
        guard drawn.lowerBound >= 0, drawn.upperBound <= bytes.count, !drawn.isEmpty else { return nil }
        let isSSN = format == .fpeSSNTFour || format == .alphanumericSSNTFour
        var template = bytes
        var free: [Int] = []
        for place in drawn where !isSSN || ASCII.isDigit(bytes[place]) {
            template[place] = 0
            free.append(place)
        }
        switch condition {
        case .luhn(let solved), .luhnNotFromZero(let solved): free.removeAll { $0 == solved }
        case .none, .letter, .socialSecurity: break
        }
        self.format = format
        self.template = template
        self.free = free
        self.alphabet = alphabet
        self.condition = condition
    }

    /// How many aliases there are, as the reference's table counts them, before one is taken off for the value itself.
    var size: Double {
        let all = power(Double(alphabet.radix), free.count)
        return switch condition {
        case .none, .luhn: all
        case .luhnNotFromZero: all / 10 * 9
        case .letter: all - power(10, free.count)
        case .socialSecurity: 88_902
        }
    }

    /// Whether there are so many (2^100 or more) that one drawn at random can be taken for a new one without looking: the chance that it
    /// equals any given one is smaller than that of a fault in the machine.
    var isWide: Bool { size >= 0x1p100 }

    private func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { product, _ in product * base }
    }
}

extension AliasFormat {
    /// Whether there are so many aliases for this value, which the format accepts, that no process has to know those of others.
    public func isWide(for value: String) -> Bool { AliasSpace(self, value: value)?.isWide ?? true }
}
