internal import JSON

/// The verdict on one field's text (`docs/reference/fields.md` sections 3, 6 and 10).
struct FieldResult {
    /// Whether the field was in the submission, even as `""`.
    var isDirty = false
    /// The submitted text in its pattern or mask; `raw` after the transforms.
    var shaping = ShapingResult()
    var output = FieldOutput.text("")
    var errors: [String] = []
    /// Errors that only the server can find: their rules were not sent to the client that evaluates (`docs/reference/browser.md`
    /// section 5). Always empty on the server.
    var undecided: [String] = []
    /// Whether something stops the request whatever the flags say (`docs/reference/fields.md` section 7).
    var hasHardError = false
    var isEmpty = true
    var inputLength = 0
    /// For a card number, its brand.
    var brand: CardBrand?
    var bin = ""
    var last4 = ""
    /// On a client: whether `raw` depends on a pattern that only the server has.
    var isTextUnknown = false
    /// Whether a pattern reached the match limit.
    var exhaustedPattern = false

    var shaped: ShapedText { shaping.shaped }
    var raw: String {
        get { shaping.raw }
        set { shaping.raw = newValue }
    }
    var formatted: String { shaping.formatted }
    var isMaskSatisfied: Bool {
        get { shaping.isMaskSatisfied }
        set { shaping.isMaskSatisfied = newValue }
    }

    var isValid: Bool { errors.isEmpty }
    var isComplete: Bool { isValid && !isEmpty && isMaskSatisfied }

    /// Whether the form may go on past this field (`docs/reference/fields.md` section 10).
    func isSatisfied(_ flags: Field.Flags) -> Bool {
        // What was submitted may be empty only because all of it was dropped, and that stops the request.
        if hasHardError { return false }
        if isEmpty {
            return !flags.isRequired && ((flags.isValidIfPresent && !flags.isRequiredValidOnly) || isValid)
        }
        return isValid
    }

    /// Adds an error that only the server can find.
    mutating func addUndecided(_ error: String) {
        if !undecided.contains(where: { $0.hasSameBytes(as: error) }) { undecided.append(error) }
    }

    /// Adds an error that also stops the request.
    mutating func addHardError(_ error: String) {
        if !errors.contains(where: { $0.hasSameBytes(as: error) }) { errors.append(error) }
        hasHardError = true
    }
}
