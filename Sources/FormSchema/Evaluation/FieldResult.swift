/// What became of one field's text (`fields.md` sections 3, 6 and 10).
struct FieldResult {
    /// Whether the field was in the submission, even as `""`.
    var isDirty = false
    /// The submitted text in its pattern or mask.
    var shaped = ShapedText(plain: "")
    var raw = ""
    var output = FieldOutput.text("")
    var errors: [String] = []
    /// Whether something stops the request whatever the flags say (`fields.md` section 7).
    var hasHardError = false
    var isEmpty = true
    var inputLength = 0
    var isMaskSatisfied = true
    /// Whether a letter or number of the submitted text is in none of the slots.
    var droppedInput = false
    /// For a card number, its brand.
    var brand: CardBrand?
    var bin = ""
    var last4 = ""
    /// Whether a pattern ran into the match limit.
    var exhaustedPattern = false

    var formatted: String { shaped.text }

    var isValid: Bool { errors.isEmpty }
    var isComplete: Bool { isValid && !isEmpty && isMaskSatisfied }

    /// Whether the form may go on past this field (`fields.md` section 10).
    func isSatisfied(_ flags: Field.Flags) -> Bool {
        if isEmpty {
            return !flags.isRequired && ((flags.isValidIfPresent && !flags.isRequiredValidOnly) || isValid)
        }
        return isValid && !hasHardError
    }

    /// Takes text that no pattern touches.
    mutating func takeUnshaped(_ text: String) {
        shaped = ShapedText(plain: text)
        raw = text
    }

    /// Adds an error that also stops the request.
    mutating func addHardError(_ error: String) {
        if !errors.contains(error) { errors.append(error) }
        hasHardError = true
    }
}
