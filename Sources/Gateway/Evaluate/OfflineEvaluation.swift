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
    /// Whether a line so far was refused: it is no submission, or `aliases` would not take it, or the guard would not let it be sent.
    public private(set) var hasRefused = false
    private var inlineForms: [[UInt8]: FormSchema] = [:]
    private var clocks: [String: ZoneClock] = [:]

    /// Whether submissions can be evaluated at an instant, in Unix seconds.
    public static func isCovered(_ instant: Int) -> Bool { ZoneClock.hasDay(at: instant) }

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
            Self.write(Problem(error), as: "error", into: &json)
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
        let returned = returnedCardNumbers(evaluation, of: form)
        let sent = returned == nil ? sentCardNumbers(evaluation, of: form, to: destination) : nil
        evaluation.writeOutgoing(
            to: destination, reveals: reveals, stopped: returned != nil ? .all : sent != nil ? .payload : .nothing,
            masked: { masked($0, to: $1, of: form) }, into: &json)
        let path = "/v1/forms/\(form.form)"
        hasRefused = hasRefused || evaluation.refusal != nil || returned != nil || sent != nil
        if let reason = evaluation.refusal {
            var states = JSONWriter(capacity: 2_048)
            evaluation.writeStates(into: &states)
            let submission = InvalidSubmission(reason: reason, fieldNames: form.fieldNames, states: states.bytes)
            Self.write(.invalidSubmission(submission), as: "error", of: path + "/aliases", into: &json)
        } else if let returned {
            Self.write(
                Problem(.cardNumberRefused(places: returned)), as: "error", of: path + "/aliases", into: &json)
        } else if let sent {
            Self.write(
                Problem(.cardNumberRefused(places: sent)), as: "payloadError", of: path + "/send/", into: &json)
        }
        if describes {
            json.key("description")
            form.writeDescription(into: &json)
        }
        json.endObject()
    }

    /// Writes a problem with card numbers masked, as a server writes it: the name of a field that does not exist may be one.
    private static func write(
        _ problem: Problem, as name: StaticString, of path: String? = nil, into json: inout JSONWriter
    ) {
        var body = JSONWriter(capacity: 1_024)
        problem.write(into: &body, instance: path)
        json.key(name)
        json.verbatim(PANMask.masked(body.bytes, isJSON: true) ?? body.bytes)
    }

    /// What is done about card numbers in what the form's route gets.
    private func requestGuard(of form: FormSchema) -> FormSchema.Guard.Action {
        form.guard.pan.stricter(form.route.flatMap { routeGuards[$0] })
    }

    /// A body as it leaves under `guard: {pan: mask}` of the form or, if it is a request, of its route.
    private func masked(
        _ body: [UInt8], to destination: Destination, of form: FormSchema
    ) -> [UInt8] {
        guard (destination == .client ? form.guard.pan : requestGuard(of: form)) == .mask else { return body }
        var filter = PANFilter(.mask, isJSON: true, exempt: [])
        return filter.filter(body, isLast: true)
    }

    /// Where `aliases` would return card numbers that the form's guard refuses (`docs/reference/proxy.md` section 10); nil if it would
    /// not refuse.
    private func returnedCardNumbers(_ evaluation: Evaluation, of form: FormSchema) -> [String]? {
        guard form.guard.pan == .refuse, evaluation.refusal == nil else { return nil }
        var result = JSONWriter(capacity: 512)
        guard evaluation.writeResult(aliases: evaluation.emptyAliases, into: &result) else { return nil }
        return Self.cardNumbers(in: result.bytes)
    }

    /// Where `send` would pass on card numbers that the guard of the form or of its route refuses; nil if it would not refuse, or the form
    /// has no route.
    private func sentCardNumbers(
        _ evaluation: Evaluation, of form: FormSchema, to destination: Destination
    ) -> [String]? {
        guard form.route != nil, requestGuard(of: form) == .refuse, evaluation.refusal == nil else { return nil }
        if destination == .vgs {
            var standIns = StandIns()
            return Self.cardNumbers(in: evaluation.rawBody(&standIns))
        }
        return evaluation.redactedBody(aliases: evaluation.emptyAliases).flatMap(Self.cardNumbers)
    }

    /// Where card numbers stand in a body; nil if there are none.
    private static func cardNumbers(in body: [UInt8]) -> [String]? {
        let exempt: PANFilter.Exemptions = []
        var filter = PANFilter(.report, isJSON: true, exempt: exempt)
        _ = filter.filter(body, isLast: true)
        guard filter.found > 0 else { return nil }
        return CardNumberPointers.pointers(body, exempt: exempt) ?? filter.places.map { "byte \($0)" }
    }
}
