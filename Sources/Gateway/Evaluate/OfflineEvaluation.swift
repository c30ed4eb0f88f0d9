public import Configuration
import FormSchema
import JSON
import Sensitive
import Vault

/// `cloakroom evaluate`: evaluates submissions without a server, one line of JSON each.
///
/// Nothing is stored or sent. Without `--reveal` the output has no submitted text.
public struct OfflineEvaluation {
    /// Inline forms that are cached, because tests send the same few again and again.
    private static let keptForms = 256

    private let forms: [String: FormSchema]
    private let context: FormContext
    /// What routes do about card numbers, by their names.
    private let routeGuards: [String: FormSchema.Guard.Action]
    /// The time to evaluate at, in Unix seconds; nil: now.
    private let instant: Int?
    private let reveals: Bool
    private let describes: Bool
    /// Whether a line so far was refused: it is no submission, or `aliases` would not take it.
    public private(set) var hasRefused = false
    private var inlineForms: [[UInt8]: FormSchema] = [:]
    private var clocks: [String: ZoneClock] = [:]

    /// - Parameters:
    ///   - configuration: has the forms and routes that lines may name; nil: none.
    ///   - now: Unix seconds; nil: the time of each line.
    ///   - reveals: whether the output may have submitted text.
    ///   - describes: whether each line holds the description of its form.
    public init(configuration: Configuration?, now: Int?, reveals: Bool, describes: Bool = false) {
        let hosted = configuration?.forms ?? []
        forms = Dictionary(hosted.map { ($0.form, $0) }) { first, _ in first }
        let routes = configuration?.routes ?? []
        routeGuards = Dictionary(routes.compactMap { route in route.panGuard.map { (route.name, $0) } }) { first, _ in
            first
        }
        context = configuration?.formContext ?? .standalone(.gateway)
        instant = now
        self.reveals = reveals
        self.describes = describes
    }

    /// The output for one line, without a line end.
    public mutating func evaluate(_ line: LineExchange.Line) -> [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        do throws(CallError) {
            let (form, submission) = try read(line)
            let evaluation = form.evaluate(submission, today: day(in: form.timeZone))
            write(evaluation, of: form, into: &json)
        } catch {
            hasRefused = true
            json = JSONWriter()
            json.beginObject()
            json.key("error")
            Problem(error).write(into: &json)
            json.endObject()
        }
        return json.bytes
    }

    private mutating func read(_ line: LineExchange.Line) throws(CallError) -> (FormSchema, Submission) {
        let text: JSONText
        switch line {
        case .tooLong(let limit): throw .malformed("the line is longer than \(limit) bytes")
        case .whole(let bytes):
            do { text = try JSONText(parsing: bytes) } catch { throw .malformed(error.description) }
        }
        guard text.kind(at: text.root) == .object else {
            throw .malformed("a line must be an object, not \(text.kind(at: text.root))")
        }
        var named: JSONText.Place?
        var unknown: String?
        var fields: JSONText.Place?
        var extraData: JSONText.Place?
        for member in text.members(of: text.root) {
            switch text.string(at: member.key) {
            case "form": named = member.value
            case "fields": fields = member.value
            case "extraData": extraData = member.value
            case let name: unknown = unknown ?? name
            }
        }
        guard let named else { throw .malformed("form is missing") }
        let form = try form(text.value(at: named))
        if let unknown { throw .malformed("unknown member \(quoted(unknown)); allowed: form, fields, extraData") }
        do { return (form, try Submission(fields: fields, extraData: extraData, in: text, for: form)) } catch {
            throw CallError(error)
        }
    }

    /// The form that a line names or contains.
    private mutating func form(_ value: JSONValue) throws(CallError) -> FormSchema {
        switch value {
        case .string(let id):
            if let form = forms[id] { return form }
            throw .invalidForm([(path: "form", message: "there is no form of that name")])
        case .object:
            var json = JSONWriter(capacity: 1_024)
            json.value(value)
            if let form = inlineForms[json.bytes] { return form }
            let log = MistakeLog(file: nil)
            guard let form = FormSchema.load(Document(file: nil, json: value), in: context.loadContext, log: log) else {
                throw .invalidForm(log.mistakes.map { (path: $0.path, message: $0.message) })
            }
            if inlineForms.count >= Self.keptForms { inlineForms.removeAll() }
            inlineForms[json.bytes] = form
            return form
        default: throw .malformed("form must be the name of a form or a form, not \(value.kind)")
        }
    }

    /// Today in a time zone.
    private mutating func day(in zone: String) -> CalendarDay {
        let clock = clocks[zone] ?? ZoneClock(zone) ?? ZoneClock()
        clocks[zone] = clock
        return instant.map(clock.day(at:)) ?? clock.today()
    }

    private mutating func write(_ evaluation: Evaluation, of form: FormSchema, into json: inout JSONWriter) {
        // For a form without a route: what a VGS route would get, which is every field.
        let destination = form.route.flatMap { context.routes?[$0] }?.destination ?? .vgs
        json.beginObject()
        evaluation.writeVerdictMembers(into: &json, reveals: reveals)
        let places = cardNumbers(in: evaluation, of: form)
        evaluation.writeOutgoing(
            to: destination, reveals: reveals, isRefused: places != nil,
            masked: { masked($0, to: $1, of: form) }, into: &json)
        let instance = "/v1/forms/\(form.form)/aliases"
        hasRefused = hasRefused || evaluation.refusal != nil || places != nil
        if let reason = evaluation.refusal {
            var states = JSONWriter(capacity: 2_048)
            evaluation.writeStates(into: &states)
            json.key("error")
            let submission = InvalidSubmission(reason: reason, fieldNames: form.fieldNames, states: states.bytes)
            Problem.invalidSubmission(submission).write(into: &json, instance: instance)
        } else if let places {
            json.key("error")
            Problem(CallError.cardNumberRefused(places: places)).write(into: &json, instance: instance)
        }
        if describes {
            json.key("description")
            form.writeDescription(into: &json)
        }
        json.endObject()
    }

    /// A body as it leaves under `guard: {pan: mask}` of the form or, if it is a request, of its route.
    private func masked(
        _ body: [UInt8], to destination: Destination, of form: FormSchema
    ) -> [UInt8] {
        let own = form.guard.pan
        let action = destination == .client ? own : own.stricter(form.route.flatMap { routeGuards[$0] })
        guard action == .mask else { return body }
        var filter = PANFilter(.mask, isJSON: true, exempt: [])
        return filter.filter(body, isLast: true)
    }

    /// Where `aliases` would return card numbers that the form's guard refuses (`docs/reference/proxy.md` section 10); nil if it would
    /// not refuse.
    private func cardNumbers(in evaluation: Evaluation, of form: FormSchema) -> [String]? {
        guard form.guard.pan == .refuse, evaluation.refusal == nil else { return nil }
        var result = JSONWriter(capacity: 512)
        guard evaluation.writeResult(aliases: evaluation.emptyAliases, into: &result) else { return nil }
        let exempt: PANFilter.Exemptions = []
        var filter = PANFilter(.report, isJSON: true, exempt: exempt)
        _ = filter.filter(result.bytes, isLast: true)
        guard filter.found > 0 else { return nil }
        return CardNumberPointers.pointers(result.bytes, exempt: exempt) ?? filter.places.map { "byte \($0)" }
    }
}
