import CAllocationCount
import FormSchema
import JSON

/// Times one checkout submission from bytes to verdict, step by step, and counts what it allocates.
@main
struct EvaluationBenchmark {
    static let form = """
        {"form":"checkout","fields":[
        {"name":"card_number","type":"cardNumber","isRequired":true,"isRequiredValidOnly":true,"tokenization":{}},
        {"name":"card_holder","type":"cardHolderName","isValidIfPresent":true},
        {"name":"exp_date","type":"expDate","isRequired":true,"isRequiredValidOnly":true,
         "serializers":[{"expDate":{"month":"exp_month","year":"exp_year"}}]},
        {"name":"cvc","type":"cvc","isRequired":true,"isRequiredValidOnly":true,"tokenization":{}}]}
        """
    static let submission = """
        {"fields":{"card_number":"4111 1111 1111 1111","card_holder":"Joe Business","exp_date":"12/30","cvc":"123"}}
        """

    static func main() throws {
        let context = LoadContext(
            aliasFormats: ["UUID": { _ in true }, "FPE_SIX_T_FOUR": { $0.utf8.count >= 12 }], routes: nil,
            maximumAliasItems: 20, bodyLimit: nil, patternMatchLimit: 100_000, timeZoneExists: { _ in true })
        let document = Document(file: nil, json: try JSONValue.parse(Array(form.utf8)))
        guard let schema = FormSchema.load(document, in: context, log: MistakeLog(file: nil)),
            let today = CalendarDay(year: 2026, month: 11, day: 21)
        else { return print("the form does not load") }
        let bytes = Array(submission.utf8)
        let text = try JSONText(parsing: bytes)
        let decoded = try Submission(text, for: schema)
        let evaluation = schema.evaluate(decoded, today: today)

        measure("parse") { _ = try? JSONText(parsing: bytes) }
        measure("decode") { _ = try? Submission(text, for: schema) }
        measure("evaluate") { _ = schema.evaluate(decoded, today: today) }
        measure("write states") {
            var writer = JSONWriter(capacity: 2_048)
            evaluation.writeVerdict(into: &writer)
        }
        measure("all") {
            guard let text = try? JSONText(parsing: bytes), let submission = try? Submission(text, for: schema) else {
                return
            }
            var writer = JSONWriter(capacity: 2_048)
            schema.evaluate(submission, today: today).writeVerdict(into: &writer)
        }
    }

    /// Best of seven rounds: what the code costs when nothing else runs.
    static func measure(_ name: String, _ body: () -> Void) {
        let rounds = 20_000
        for _ in 0..<rounds { body() }
        let clock = ContinuousClock()
        var best = Double.infinity
        var allocations = 0
        for _ in 0..<7 {
            let before = allocation_count()
            let time = clock.measure { for _ in 0..<rounds { body() } }
            allocations = (allocation_count() - before) / rounds
            best = min(best, time / .nanoseconds(rounds))
        }
        print("\(name): \(Int(best)) ns, \(allocations) allocations")
    }
}
