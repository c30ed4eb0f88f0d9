internal import JSON

/// Evaluates one field: shape, transforms, rules, output, state. A pure function of its parameters.
extension Field {
    /// - Parameters:
    ///   - brand: the brand of the field's own number, or of the card that a CVC is coupled to.
    ///   - result: a new one, filled in place: a copy would retain every reference in it.
    ///
    /// Not inlined: `self` is borrowed for the call, so members that the method reads are not retained.
    @inline(never)
    func evaluate(
        _ submitted: String?, in form: FormSchema, today: CalendarDay, brand: CardBrand?, into result: inout FieldResult
    ) {
        let text = submitted ?? ""
        result.isDirty = submitted != nil
        if let limit = maxInputLength, inputLength(of: text, brand ?? form.cardBrands.unknown) > limit {
            result.addHardError(ErrorText.maxInputLength)
        }
        shape(text, form, brand, into: &result)
        if isElement { transform(form, into: &result) }
        applyRules(form, today, brand, to: &result)
        satisfyMaskByLength(form, brand, &result)
        if isElement, !result.isEmpty, !result.isComplete { result.hasHardError = true }
        makeOutput(of: &result)
        checkAliasFormat(of: &result)
        describeNumber(brand, in: &result)
    }

    private func inputLength(of text: String, _ brand: CardBrand) -> Int {
        countsSeparators(brand) ? text.characterCount : text.alphanumericCount
    }

    /// Whether `maxInputLength` counts them: not where a pattern or a mask drops them.
    func countsSeparators(_ brand: CardBrand) -> Bool {
        switch shape {
        case .unchanged: true
        case .pattern: pattern.isEmpty
        case .brand: brand.pattern.isEmpty
        case .brandCVC, .mask: false
        }
    }

    private func shape(_ text: String, _ form: FormSchema, _ brand: CardBrand?, into result: inout FieldResult) {
        switch shape {
        case .pattern: pattern.shape(text, into: &result.shaping)
        case .brand: (brand ?? form.cardBrands.unknown).pattern.shape(text, into: &result.shaping)
        case .brandCVC: cvcPattern(for: brand).shape(text, into: &result.shaping)
        case .mask(let mask): mask.shape(text, takesUnknown: form.isClient, into: &result.shaping)
        case .unchanged: result.shaping.takeUnshaped(text)
        }
        if result.shaping.exhaustedPattern { result.exhaustedPattern = true }
        if form.lenientInput { return }
        if form.isClient, result.shaping.exhaustedPattern {
            result.addUndecided(ErrorText.droppedInput)
        } else if result.shaping.droppedInput {
            result.addHardError(ErrorText.droppedInput)
        }
    }

    /// The pattern of a CVC without a `formatPattern`.
    func cvcPattern(for brand: CardBrand?) -> FormatPattern {
        usesDefaultRules ? brand?.cvcPattern ?? pattern : pattern
    }

    /// Applies the transforms, each to the result of the one before; an exhausted pattern leaves the text as it was before its step.
    private func transform(_ form: FormSchema, into result: inout FieldResult) {
        var fails = false
        for step in transforms {
            do throws(Pattern.Exhausted) {
                result.raw = try step.apply(to: result.shaping.raw)
            } catch {
                result.exhaustedPattern = true
                fails = true
            }
        }
        // On a client, an unknown pattern of the mask or a transform leaves the text itself unknown.
        result.isTextUnknown = form.isClient && result.exhaustedPattern
        guard let validation else {
            if fails || result.isTextUnknown {
                note(fails: true, exhausted: fails, ErrorText.validation, form, &result)
            }
            return
        }
        do throws(Pattern.Exhausted) {
            let matches = try validation.matches(result.shaping.raw)
            note(fails: fails || !matches, exhausted: fails, ErrorText.validation, form, &result)
        } catch {
            note(fails: true, exhausted: true, ErrorText.validation, form, &result)
        }
    }

    /// All rules run, in order; a pattern that reaches its match limit counts as not matching.
    private func applyRules(
        _ form: FormSchema, _ today: CalendarDay, _ brand: CardBrand?, to result: inout FieldResult
    ) {
        result.isEmpty = result.shaping.raw.isEmpty
        result.inputLength = result.shaping.raw.characterCount
        // By index: a copy of the element would be retained and released.
        for index in rules.indices {
            do throws(Pattern.Exhausted) {
                let passes = try rules[index].passes(
                    result.shaping.raw, length: result.inputLength, brand: brand, isCardNumber: type == .cardNumber,
                    brands: form.cardBrands, today: today)
                if passes, !result.isTextUnknown { continue }
                note(fails: !passes, exhausted: false, rules[index].error, form, &result)
            } catch {
                note(fails: true, exhausted: true, rules[index].error, form, &result)
            }
        }
    }

    /// Adds an error. On a client, one that depends on a pattern or text that only the server knows is undecided.
    private func note(
        fails: Bool, exhausted: Bool, _ error: String, _ form: FormSchema, _ result: inout FieldResult
    ) {
        if exhausted { result.exhaustedPattern = true }
        if form.isClient, exhausted || result.isTextUnknown {
            result.addUndecided(error)
        } else if fails {
            result.errors.append(error)
        }
    }

    /// Card numbers and codes are complete at one of their brand's lengths, not only when the pattern for the longest is full.
    private func satisfyMaskByLength(_ form: FormSchema, _ brand: CardBrand?, _ result: inout FieldResult) {
        switch shape {
        case .brand:
            guard let brand, brand !== form.cardBrands.unknown || validatesUnknownBrand else {
                result.isMaskSatisfied = false
                break
            }
            result.isMaskSatisfied = brand.lengths.contains(result.inputLength)
        case .brandCVC:
            let lengths = usesDefaultRules ? brand?.cvcLengths ?? [3, 4] : [3, 4]
            result.isMaskSatisfied = lengths.contains(result.inputLength)
        default: break
        }
    }

    private func describeNumber(_ brand: CardBrand?, in result: inout FieldResult) {
        if type == .cardNumber {
            guard result.isValid, let brand else { return }
            if !result.shaping.raw.isAllDigits {
                return describe(result.shaping.raw.filter { $0.isDigit }, brand, in: &result)
            }
            describe(result.shaping.raw, brand, in: &result)
        } else if type == .ssn, result.isValid, result.inputLength == 9 {
            result.last4 = String(result.shaping.raw.suffix(4))
        }
    }

    /// - Parameter digits: the number, ASCII digits alone.
    private func describe(_ digits: String, _ brand: CardBrand, in result: inout FieldResult) {
        result.bin = digits.asciiPrefix(brand.binLength(ofDigits: digits.utf8.count))
        if digits.utf8.count >= 12 { result.last4 = digits.asciiSuffix(4) }
    }
}
