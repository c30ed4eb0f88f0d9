import AuditLog
import JSON

/// What came of reading the configuration again (`docs/reference/access.md` section 6). It names keys, never values.
public struct ReloadReport: Sendable {
    /// What came of it (`docs/reference/access.md` section 6).
    public enum Outcome: String, Sendable, CaseIterable {
        /// Every change has taken effect.
        case taken
        /// Some changes take effect only after a restart.
        case partlyNeedsRestart
        /// There are mistakes: everything is as it was.
        case refused
    }

    /// What came of it.
    public let outcome: Outcome
    /// Key paths whose new values are in use.
    public var taken: [String] = []
    /// Key paths whose new values need a restart.
    public var needsRestart: [String] = []
    /// Why it was refused, a line each.
    public var mistakes: [String] = []

    init(_ outcome: Outcome, taken: [String] = [], needsRestart: [String] = [], mistakes: [String] = []) {
        self.outcome = outcome
        self.taken = taken
        self.needsRestart = needsRestart
        self.mistakes = mistakes
    }

    /// From the response to ``ReloadCall``; nil if it is none.
    init?(_ object: JSONObject) {
        guard let outcome = object["outcome"]?.string.flatMap(Outcome.init(rawValue:)) else { return nil }
        func texts(_ key: String) -> [String] { object[key]?.array?.compactMap(\.string) ?? [] }
        self.init(
            outcome, taken: texts("taken"), needsRestart: texts("needsRestart"), mistakes: texts("mistakes"))
    }

    /// As one JSON object.
    ///
    /// - Parameter namesMistakes: whether mistakes are written out: only for those who may know the configuration.
    func write(into json: inout JSONWriter, namesMistakes: Bool) {
        json.beginObject()
        json.key("outcome")
        json.string(outcome.rawValue)
        json.key("taken")
        json.strings(taken)
        json.key("needsRestart")
        json.strings(needsRestart)
        json.key("mistakes")
        if namesMistakes { json.strings(mistakes) } else { json.number(mistakes.count) }
        json.endObject()
    }

    func event(by person: String) -> AuditEvent {
        AuditEvent(.reload, outcome == .refused ? .failed : .done, credential: person, keys: taken + needsRestart)
    }
}
