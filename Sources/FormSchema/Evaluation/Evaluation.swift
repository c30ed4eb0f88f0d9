internal import Sensitive

/// The verdict on a submission: the state of every field, and whether anything stops the request. A class, because every later
/// step of a request receives it, and a copy of a struct would retain every reference in it.
public final class Evaluation: Sendable {
    let form: FormSchema
    let submission: Submission
    let results: [FieldResult]

    /// Why nothing may be stored or sent; nil if nothing stops it (`docs/reference/fields.md` sections 7 and 12).
    public let refusal: Refusal?

    /// Why nothing is made or sent.
    public enum Refusal: Sendable {
        /// Code 1001: the names in its two lists.
        case invalidInput(required: [String], requiredValid: [String])
        /// Codes 1101 to 1103.
        case file(FileRefusal)
    }

    init(form: FormSchema, submission: Submission, results: [FieldResult], refusal: Refusal?) {
        self.form = form
        self.submission = submission
        self.results = results
        self.refusal = refusal
    }

    /// Name of the first field in form order that is not satisfied; nil if the form is valid (`docs/reference/elements.md` section 9).
    public var nextField: String? {
        // By index: a copy of a result would retain its dozen references.
        for index in results.indices where !results[index].isSatisfied(form.fields[index].flags) {
            return form.fields[index].name
        }
        return nil
    }

    /// Whether every field is satisfied.
    public var isValid: Bool { nextField == nil }

    /// Whether the form is valid and every field is complete or empty.
    public var isComplete: Bool { isValid && hasNoIncompleteField }

    var hasNoIncompleteField: Bool {
        results.indices.allSatisfy { results[$0].isComplete || results[$0].isEmpty }
    }

    /// Fields in which a pattern reached the match limit, for the log and the metrics.
    public var exhaustedPatterns: [String] {
        form.fields.indices.filter { results[$0].exhaustedPattern }.map { form.fields[$0].name }
    }
}

extension FormSchema {
    /// Evaluates a submission. The same submission on the same day gives the same evaluation.
    /// - Parameter today: the day in the form's own time zone.
    public func evaluate(_ submission: consuming Submission, today: CalendarDay) -> Evaluation {
        var results: [FieldResult] = []
        results.reserveCapacity(fields.count)
        // Brands first: a CVC may stand before the card that it is coupled to.
        for index in fields.indices {
            results.append(FieldResult())
            if fields[index].type == .cardNumber {
                results[index].brand = cardBrands.brand(ofNumber: submission.values[index]?.exposed ?? "")
            }
        }
        var fileRefusal: FileRefusal?
        var faults = Faults()
        for index in fields.indices {
            let field = fields[index]
            let submitted = submission.values[index]?.exposed
            if let limits = field.file {
                let (result, refusal) = FileEvaluation(field: field, limits: limits).evaluate(submitted)
                results[index] = result
                fileRefusal = fileRefusal ?? refusal
            } else {
                let brand = results[field.coupledCard ?? index].brand
                field.evaluate(submitted, in: self, today: today, brand: brand, into: &results[index])
                faults.note(field, results, at: index)
            }
        }
        let refusal = faults.refusal ?? fileRefusal.map(Evaluation.Refusal.file)
        return Evaluation(form: self, submission: submission, results: results, refusal: refusal)
    }
}

/// The names in the two lists of code 1001 (`docs/reference/fields.md` section 7).
private struct Faults {
    private var required: [String] = []
    private var requiredValid: [String] = []

    /// The result is read in place: a copy of the element would retain every reference in it.
    @inline(__always)
    mutating func note(_ field: Field, _ results: [FieldResult], at index: Int) {
        let isEmpty = results[index].isEmpty
        if field.flags.isRequired, isEmpty { required.append(field.name) }
        let mustBeValid = field.flags.isRequiredValidOnly || (field.flags.isValidIfPresent && !isEmpty)
        if (mustBeValid && !results[index].isValid) || results[index].hasHardError { requiredValid.append(field.name) }
    }

    var refusal: Evaluation.Refusal? {
        if required.isEmpty, requiredValid.isEmpty { return nil }
        return .invalidInput(required: required, requiredValid: requiredValid)
    }
}
