import Configuration

/// A reveal route with what can be worked out once.
struct RevealRoute: Sendable {
    /// With the headers that may hold aliases among those that are passed on.
    let route: Route
    let base: BaseURL
    let rules: RevealRules
    let redaction: AnswerRedaction

    /// Nil for a route of another kind.
    init?(_ route: Route) {
        guard case .reveal(let base, let rules) = route.target else { return nil }
        var route = route
        route.forwardHeaders += rules.headers.filter { !route.forwardHeaders.contains($0) }
        self.route = route
        self.base = base
        self.rules = rules
        redaction = AnswerRedaction(rules: rules.redact.compactMap(AnswerRedaction.Rule.init))
    }

    var allowedMethods: String { (route.methods + ["OPTIONS"]).joined(separator: ", ") }
}
