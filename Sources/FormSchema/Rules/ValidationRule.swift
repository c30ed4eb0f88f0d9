/// A rule that a field's raw text must pass (`docs/reference/fields.md` section 6).
final class ValidationRule: Sendable {
    enum Check: Sendable {
        /// ``ValidationRule/pattern`` must match the whole text.
        case pattern
        case length(min: Int, max: Int?)
        case lengthMatch([Int])
        /// The CVC lengths of the coupled card's brand; 3 or 4 without a card. Part of the default rules only.
        case cvcLength
        case luhn
        case paymentCard(validatesUnknown: Bool)
        case cardExpirationDate(ExpDateFormat)
        case dateRange(DateFormat, start: CalendarDay?, end: CalendarDay?)
        case abaRoutingNumber
        case email
        case phone
        case personName
        case iban
    }

    let check: Check
    /// For `Check.pattern`. Stored beside `check` because a pattern match on the enum retains its payload.
    let pattern: Pattern?
    /// The string in `validationErrors` when it fails.
    let error: String

    init(check: Check, pattern: Pattern? = nil, error: String) {
        self.check = check
        self.pattern = pattern
        self.error = error
    }

    /// - Parameters:
    ///   - text: the field's raw text.
    ///   - length: its length in characters.
    ///   - brand: for a card number, the brand of the digits as they were submitted; for a CVC, the brand of the card that it is
    ///     coupled to.
    ///   - isCardNumber: whether `brand` is the brand of the text itself.
    ///   - brands: the form's.
    func passes(
        _ text: String, length: Int, brand: CardBrand?, isCardNumber: Bool, brands: CardBrands, today: CalendarDay
    ) throws(Pattern.Exhausted) -> Bool {
        switch check {
        // A pattern that is missing because memory ran out at start fails every text.
        case .pattern: return try pattern?.matches(text) ?? false
        case .length(let min, let max): return (min...Swift.max(min, max ?? .max)).contains(length)
        case .lengthMatch(let lengths): return lengths.contains(length)
        case .cvcLength: return (brand?.cvcLengths ?? [3, 4]).contains(length)
        case .luhn: return passesLuhn(text)
        case .paymentCard(let validatesUnknown):
            let submitted = isCardNumber ? brand : nil
            let brand = submitted ?? brands.brand(ofNumber: text)
            if brand === brands.unknown, !validatesUnknown || !text.isAllDigits { return false }
            return brand.accepts(text, length: length)
        case .cardExpirationDate(let format): return Self.expires(text, format, notBefore: today)
        case .dateRange(let format, let start, let end):
            guard text.isAllDigits, let day = format.day(from: text.asciiDigits) else { return false }
            return start.map { $0 <= day } ?? true && end.map { day <= $0 } ?? true
        case .abaRoutingNumber: return Self.isABARoutingNumber(text)
        case .email: return Self.isEmail(text)
        case .phone: return Self.isPhone(text)
        case .personName: return Self.isPersonName(text)
        case .iban: return IBAN.isValid(text)
        }
    }

    /// From the current month through December of the twentieth year from now.
    private static func expires(_ text: String, _ format: ExpDateFormat, notBefore today: CalendarDay) -> Bool {
        guard let (month, year) = format.monthAndYear(of: text) else { return false }
        guard (today.year...today.year + 20).contains(year) else { return false }
        return year > today.year || month >= today.month
    }

    /// Nine digits with the checksum of the American Bankers Association; nine zeros do not count.
    private static func isABARoutingNumber(_ text: String) -> Bool {
        guard text.utf8.count == 9, text.isAllDigits else { return false }
        let weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]
        let sum = zip(text.asciiDigits, weights).reduce(0) { $0 + Int($1.0) * $1.1 }
        return sum > 0 && sum % 10 == 0
    }
}
