import FormSchema
import JSON
import Vault

/// Judges submissions without a server: a line of JSON in, a line of JSON out (design, section 5).
///
/// Nothing is stored or sent. Unless it reveals, no submitted text is in any answer.
public struct OfflineEvaluation {
    /// Inline forms that are kept compiled: a team's tests send the same few again and again.
    private static let keptForms = 256

    private let forms: [String: FormSchema]
    private let context: FormContext
    /// The instant to judge at, in Unix seconds; nil for the clock's.
    private let instant: Int?
    private let reveals: Bool
    private let describes: Bool
    private var inlineForms: [[UInt8]: FormSchema] = [:]
    private var clocks: [String: ZoneClock] = [:]

    /// - Parameters:
    ///   - configuration: whose forms and routes lines may name; nil if there is none.
    ///   - now: Unix seconds; nil to ask the clock at each line.
    ///   - reveals: whether answers may show submitted text.
    ///   - describes: whether each response holds the description of its form.
    public init(configuration: Configuration?, now: Int?, reveals: Bool, describes: Bool = false) {
        let hosted = configuration?.forms ?? []
        forms = Dictionary(hosted.map { ($0.form, $0) }) { first, _ in first }
        context = configuration?.formContext ?? .standalone
        instant = now
        self.reveals = reveals
        self.describes = describes
    }

    /// The answer to one line, without a line end.
    public mutating func answer(to line: LineExchange.Line) -> [UInt8] {
        var json = JSONWriter(capacity: 4_096)
        do throws(Problem) {
            let (form, submission) = try read(line)
            let evaluation = form.evaluate(submission, today: day(in: form.timeZone))
            write(evaluation, of: form, into: &json)
        } catch {
            json = JSONWriter()
            json.beginObject()
            json.key("error")
            error.write(into: &json)
            json.endObject()
        }
        return json.bytes
    }

    private mutating func read(_ line: LineExchange.Line) throws(Problem) -> (FormSchema, Submission) {
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
        do {
            return (form, try Submission(fields: fields, extraData: extraData, in: text, for: form))
        } catch {
            switch error {
            case .malformed(let detail): throw .malformed(detail)
            case .unknownFields(let names): throw .unknownFields(names)
            }
        }
    }

    /// The form that a line names or brings along.
    private mutating func form(_ value: JSONValue) throws(Problem) -> FormSchema {
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

    /// The day that it is in a zone.
    private mutating func day(in zone: String) -> CalendarDay {
        let clock = clocks[zone] ?? ZoneClock(zone) ?? ZoneClock()
        clocks[zone] = clock
        return instant.map(clock.day(at:)) ?? clock.today()
    }

    private func write(_ evaluation: Evaluation, of form: FormSchema, into json: inout JSONWriter) {
        // A form without a route is shown with every field, as a vault that redacts for itself would get it.
        let destination = form.route.flatMap { context.routes?[$0] }?.destination ?? .vault
        json.beginObject()
        evaluation.writeVerdictMembers(into: &json, reveals: reveals)
        evaluation.writeOutgoing(to: destination, reveals: reveals, into: &json)
        if let refusal = evaluation.refusal {
            var states = JSONWriter(capacity: 2_048)
            evaluation.writeStates(into: &states)
            json.key("error")
            let problem = Problem(refusal, of: form)
            problem.write(into: &json, instance: "/v1/forms/\(form.form)/aliases", states: states.bytes)
        }
        if describes {
            json.key("description")
            form.writeDescription(into: &json)
        }
        json.endObject()
    }
}

extension Problem {
    fileprivate static func malformed(_ detail: String) -> Problem { Problem(RequestFault.malformed(detail)) }
}
