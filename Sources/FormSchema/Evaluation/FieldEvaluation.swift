/// Judges one field: shape, transforms, rules, output, state. Pure; what it needs of the world it is given.
struct FieldEvaluation {
    let field: Field
    let form: FormSchema
    let today: CalendarDay
    /// The brand of the field's own number, or of the card that a CVC is coupled to.
    let brand: CardBrand?

    /// - Parameter result: a fresh one, filled in place: copying it would count every reference that it holds.
    func evaluate(_ submitted: String?, into result: inout FieldResult) {
        let text = submitted ?? ""
        result.isDirty = submitted != nil
        if let limit = field.maxInputLength, inputLength(of: text) > limit {
            result.addHardError(ErrorText.maxInputLength)
        }
        shape(text, into: &result)
        transform(into: &result)
        applyRules(to: &result)
        if field.isElement, !result.isEmpty, !result.isComplete { result.hasHardError = true }
        makeOutput(of: &result)
        checkAliasFormat(of: &result)
        describeNumber(in: &result)
    }

    /// Separators do not count where a pattern or a mask drops them.
    private func inputLength(of text: String) -> Int {
        switch field.shape {
        case .unchanged: text.characterCount
        case .pattern(let pattern, _) where pattern.isEmpty: text.characterCount
        default: text.alphanumericCount
        }
    }

    private func shape(_ text: String, into result: inout FieldResult) {
        let shaped: ShapedText
        var slotCount: Int
        switch field.shape {
        case .pattern(let pattern, let divider):
            shaped = pattern.shape(text, divider: divider)
            slotCount = pattern.slotCount
        case .brand(let divider):
            shaped = (brand ?? form.cardBrands.unknown).pattern.shape(text, divider: divider)
            slotCount = 0
        case .brandCVC(let divider):
            shaped = cvcPattern.shape(text, divider: divider)
            slotCount = 0
        case .mask(let mask):
            shaped = mask.shape(text)
            slotCount = mask.slotCount
        case .unchanged:
            shaped = ShapedText(unshaped: text)
            slotCount = 0
        }
        result.formatted = shaped.formatted
        result.raw = shaped.raw
        result.withDivider = shaped.withDivider
        result.redaction = shaped.redaction
        result.isMaskSatisfied = shaped.slotsFilled >= slotCount
        if shaped.dropped, !form.lenientInput { result.addHardError(ErrorText.droppedInput) }
    }

    /// The pattern of a CVC without one of its own: with default rules it follows the card's brand.
    private var cvcPattern: FormatPattern {
        field.usesDefaultRules ? brand?.cvcPattern ?? Self.anyCVC : Self.anyCVC
    }

    private static let anyCVC = FormatPattern("####")

    /// Transforms, then `validation`; an exhausted pattern leaves the text as it was before its step.
    private func transform(into result: inout FieldResult) {
        guard field.isElement else { return }
        var fails = false
        for step in field.transforms {
            do throws(Pattern.Exhausted) {
                result.raw = try step.apply(to: result.raw)
            } catch {
                result.exhaustedPattern = true
                fails = true
            }
        }
        result.withDivider = result.raw
        if let validation = field.validation {
            do throws(Pattern.Exhausted) {
                fails = try !validation.matches(result.raw) || fails
            } catch {
                result.exhaustedPattern = true
                fails = true
            }
        }
        if fails { result.errors.append(ErrorText.validation) }
    }

    /// All rules run, in order; a pattern that runs into its limit counts as not matching.
    private func applyRules(to result: inout FieldResult) {
        result.isEmpty = result.raw.isEmpty
        result.inputLength = result.raw.characterCount
        let surroundings = ValidationRule.Surroundings(
            today: today, cardBrands: form.cardBrands, numberBrand: field.type == .cardNumber ? brand : nil,
            coupledBrand: field.type == .cvc ? brand : nil)
        for rule in field.rules {
            do throws(Pattern.Exhausted) {
                if try !rule.passes(result.raw, surroundings) { result.errors.append(rule.error) }
            } catch {
                result.exhaustedPattern = true
                result.errors.append(rule.error)
            }
        }
        satisfyMaskByLength(&result)
    }

    /// Numbers and codes are whole at one of their brand's lengths, not when a pattern for the longest is full.
    private func satisfyMaskByLength(_ result: inout FieldResult) {
        switch field.shape {
        case .brand:
            let brand = brand ?? form.cardBrands.unknown
            let isKnown = brand !== form.cardBrands.unknown || field.validatesUnknownBrand
            result.isMaskSatisfied = isKnown && brand.lengths.contains(result.inputLength)
        case .brandCVC:
            let lengths = field.usesDefaultRules ? brand?.cvcLengths ?? [3, 4] : [3, 4]
            result.isMaskSatisfied = lengths.contains(result.inputLength)
        default: break
        }
    }

    private func describeNumber(in result: inout FieldResult) {
        if field.type == .cardNumber {
            let brand = brand ?? form.cardBrands.unknown
            result.brand = brand
            guard result.isValid else { return }
            let digits = result.raw.isAllDigits ? result.raw : result.raw.filter(\.isDigit)
            result.bin = brand.bin(ofValid: digits)
            if digits.utf8.count >= 12 { result.last4 = String(Substring(digits.utf8.suffix(4))) }
        } else if field.type == .ssn, result.isValid, result.inputLength == 9 {
            result.last4 = String(result.raw.suffix(4))
        }
    }
}
